import type { MessagePort } from 'node:worker_threads';
import { dataFolder, openByScheme, type AdapterTable } from '@refledger/engines';
import type { EventLog } from './event-log.js';
import type { GroupStatistics } from './sqlite/append-queue.js';

/** What the adapters need besides the URL. Each uses what applies to its engine. */
export interface OpenEventLogOptions {
  /** The data folder, where `sqlite:` keeps its file. */
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

/**
 * Opens the log that a URL names. Throws an `EventLogError`: `unavailable` when it can't be reached
 * now or there is nothing to read yet, `unusable` when waiting does not help.
 */
export const openEventLog = (url: string, options: OpenEventLogOptions): Promise<EventLog> =>
  openByScheme(adapters, url, options);

type Adapters = AdapterTable<OpenEventLogOptions, EventLog>;

const eventStoreDb: Adapters[string] = async (url, options) =>
  (await import('./eventstoredb/index.js')).openEventStoreDbEventLog({ url, ...options });

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir, ...options }) =>
    (await import('./sqlite/index.js')).openSqliteEventLog({
      file: dataFolder(dataDir).events,
      ...options,
    }),
  'esdb:': eventStoreDb,
  'esdb+discover:': eventStoreDb,
  'kurrentdb:': eventStoreDb,
  'kurrentdb+discover:': eventStoreDb,
};
