import type { MessagePort } from 'node:worker_threads';

/** Parts that the adapters need besides the URL. Each uses what applies to its engine. */
export interface OpenEventLogOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /**
   * `write`: appends, through a thread that the handle starts where the engine needs one and
   * `writer` is not given. `read`: follows the appends of another process.
   */
  readonly mode: 'write' | 'read';
  /** The `writerPort()` of a handle in another thread of this process. */
  readonly writer?: MessagePort | undefined;
  /** Called with each group of appends of this handle once it is committed. */
  readonly onGroup?: (group: GroupStatistics) => void;
  /** Called once all further appends will fail; the process should end. */
  readonly onCrash?: (error: Error) => void;
  /** How long to wait for one response from a server. Default: 10,000. */
  readonly deadlineMs?: number;
}

/** One group of appends that was committed together. Appends that conflicted are not counted. */
export interface GroupStatistics {
  readonly appends: number;
  readonly events: number;
  readonly bytes: number;
  /** Duration of the transaction in the writer's thread. */
  readonly commitMs: number;
}
