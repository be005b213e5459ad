import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';

/** Where a log is that read models are built from. */
export type LogPlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'eventstoredb'; readonly url: string };

/** Where read models are built; nothing is there yet. */
export type StorePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'mongodb'; readonly url: string };

/** Loads the driver only of an engine that is asked for, as the service does. */
export const openLog = async (place: LogPlace): Promise<EventLog> => {
  switch (place.engine) {
    case 'sqlite':
      return (await import('@refledger/event-log/sqlite')).openSqliteEventLog({
        file: place.file,
        mode: 'read',
      });
    case 'eventstoredb':
      return (await import('@refledger/event-log/eventstoredb')).openEventStoreDbEventLog({
        url: place.url,
        deadlineMs: 60_000,
      });
  }
};

export const openStore = async (place: StorePlace): Promise<ReadStore> => {
  switch (place.engine) {
    case 'sqlite':
      return (await import('@refledger/read-store/sqlite')).openSqliteReadStore({
        file: place.file,
        mode: 'write',
      });
    case 'mongodb':
      return (await import('@refledger/read-store/mongodb')).openMongodbReadStore({
        url: place.url,
        mode: 'write',
      });
  }
};
