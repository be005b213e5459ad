import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';

/** The log that read models are built from. */
export type LogPlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'eventstoredb'; readonly url: string };

/** The empty store that read models are built in. */
export type StorePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'mongodb'; readonly url: string };

/** Loads only the driver of the engine that is needed, as the service does. */
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
