/** A running service, however it was started: what a black-box suite may know and do. */
export interface Service {
  readonly baseUrl: string;
  /** Where health and metrics of every role are, when the service offers them. */
  readonly opsUrl?: string;
  /** A key of scope `operator` in the first account. */
  readonly adminKey: string;
  /** Ends the process and starts it again with the same data and address. */
  restart(signal?: EndSignal): Promise<void>;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
  /** Ends the process in good order and removes what was made for it. */
  stop(): Promise<void>;
  /** All that it has printed so far. */
  logs(): string;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** How a suite gets its service; several suites of a file may get the same one. */
export type ServiceFactory = () => Promise<Service>;
