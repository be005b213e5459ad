import { dataDirectory, openByScheme, type AdapterTable } from '@refledger/engines';
import type { EventLog } from './event-log.js';
import type { OpenEventLogOptions } from './open-event-log-options.js';

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
      file: dataDirectory(dataDir).events,
      ...options,
    }),
  'esdb:': eventStoreDb,
  'esdb+discover:': eventStoreDb,
  'kurrentdb:': eventStoreDb,
  'kurrentdb+discover:': eventStoreDb,
};
