import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
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
  const dataDir = await bench.directory();
  const open = async (url: string) =>
    bench.use(await openEventLog(url, { dataDir, mode: 'write', deadlineMs: 60_000 }));
  return {
    raw: bench.use(openRawClient(server.url)),
    log: await open(server.url),
    embedded: await open(embeddedUrls.EVENT_LOG_URL),
  };
};
