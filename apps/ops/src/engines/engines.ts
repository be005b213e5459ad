import type { EventLog } from '@refledger/event-log';
import type { OperatorCommand } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import type { Backup } from './back-up-folder.js';

/** The engines of a service, as its operator reaches them. Whatever can't be reached or used is thrown as an error that says so in words. */
export interface OperatorEngines {
  /** Opens the log for reading, beside whoever writes it. */
  openLog(): Promise<EventLog>;
  /** Opens the read models for reading. */
  openStore(): Promise<ReadStore>;
  /** An empty read store that is gone once it is closed. */
  openScratchStore(): Promise<ReadStore>;
  /** Asks the running service; undefined when none answers. Answers whether the command was new. */
  ask(command: OperatorCommand): Promise<boolean | undefined>;
  /** Copies everything that can't be made from the log into a new folder, while a service may be running. */
  backup(folder: string): Promise<Backup>;
  /** Whether a service runs now. */
  isServed(): boolean;
  /** Works in place of the service, which can't start meanwhile. */
  alone<T>(work: (own: OwnEngines) => Promise<T>): Promise<T>;
}

/** The engines while no service runs. */
export interface OwnEngines {
  readonly log: EventLog;
  openStore(): Promise<ReadStore>;
}
