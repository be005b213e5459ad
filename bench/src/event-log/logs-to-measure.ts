import { join } from 'node:path';
import type { EventLog } from '@refledger/event-log';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openRawClient, type RawClient } from '@refledger/testing/eventstoredb';
import { startEventStoreDb } from '@refledger/testing/servers';
import type { Bench } from '../bench.js';
import { serverNote } from '../report/server-note.js';

/**
 * The event log on both engines, and the raw client that the EventStoreDB adapter is compared with.
 */
export interface LogsToMeasure {
  readonly log: EventLog;
  readonly raw: RawClient;
  readonly embedded: EventLog;
}

/** Starts an empty server and names it beside the figures. */
export const logsToMeasure = async (bench: Bench): Promise<LogsToMeasure> => {
  const started = await startEventStoreDb();
  const server = bench.use({ ...started, close: () => started.stop() });
  bench.note(serverNote(server));
  return {
    raw: bench.use(openRawClient(server.url)),
    log: bench.use(await openEventStoreDbEventLog({ url: server.url, deadlineMs: 60_000 })),
    embedded: bench.use(
      await openSqliteEventLog({ file: join(await bench.folder(), 'events.db'), mode: 'write' }),
    ),
  };
};
