/** A running service, however it was started: what a black-box suite may know and do. */
export interface Service {
  readonly baseUrl: string;
  /** Where health and metrics of every role are, when the service offers them. */
  readonly opsUrl?: string;
  /** A key of scope `operator` in the first account. */
  readonly adminKey: string;
  /** Ends the process and starts it again with the same data and address. */
  restart(signal?: EndSignal): Promise<void>;
  /** Ends the process at once, as a crash would; also one that is only starting. */
  kill(): Promise<void>;
  /** Starts it again, after it has ended, with the same data and address. */
  start(): Promise<void>;
  /** Sends it a signal and waits for nothing: to stop it, to hold it still (SIGSTOP), to let it go on (SIGCONT). */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process in good order and removes what was made for it. */
  stop(): Promise<void>;
  /** All that it has printed so far. */
  logs(): string;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** How a suite gets its service; several suites of a file may get the same one. */
export interface ServiceFactory {
  (): Promise<Service>;
  /** False where there are no lists and statistics, nor webhooks: the gateway over a log alone. */
  readonly hasReadModels?: false;
}
