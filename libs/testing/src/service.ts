/**
 * A running service, however it was started, with what a black-box suite may know of it and do to
 * it.
 */
export interface Service {
  readonly baseUrl: string;
  /** The base URL of health and metrics, when the service has one for all roles. */
  readonly opsUrl?: string;
  /** A key with scope `operator` in the first account. */
  readonly adminKey: string;
  /** Ends the process and starts it again with the same data and address. */
  restart(signal?: EndSignal): Promise<void>;
  /** Ends the process immediately, as a crash would, even while it is still starting. */
  kill(): Promise<void>;
  /** Starts the process again, after it has ended, with the same data and address. */
  start(): Promise<void>;
  /**
   * Sends the process a signal and does not wait: to stop it, to suspend it (SIGSTOP), to let it
   * continue (SIGCONT).
   */
  signal(signal: NodeJS.Signals): void;
  /** Stops the process cleanly and removes everything that was created for it. */
  stop(): Promise<void>;
  /** Returns everything that the process has printed so far. */
  logs(): string;
  /**
   * Resolves once every event processor has handled everything that was in the log when this was
   * called. Events that a processor appends to the log because of that need a second call.
   */
  caughtUp(): Promise<void>;
  /**
   * Returns an address of the same service where no read waits long for the position that it must
   * reflect. It is for positions that are never reached.
   */
  impatient(): Promise<Pick<Service, 'baseUrl'>>;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** Returns the service for a suite. Several suites of a file may get the same one. */
export interface ServiceFactory {
  (): Promise<Service>;
  /**
   * False for a service without lists, statistics and webhooks: a gateway over the event log alone.
   */
  readonly hasReadModels?: false;
}
