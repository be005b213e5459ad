import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { scaledTimeout } from '@refledger/testing';
import {
  databaseUrl,
  describeOnServer,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import { Projector, type Projection } from '@refledger/projections';

/** An event log and a read store for one test. */
export interface Engines {
  readonly log: EventLog;
  readonly store: ReadStore;
  close(): Promise<void>;
}

/** Runs a suite on SQLite, and on EventStoreDB and MongoDB. */
export const onBothEngines = (
  name: string,
  suite: (open: () => Promise<Engines>) => void,
): void => {
  describe(`${name}, embedded`, () =>
    suite(() => openEngines(embeddedUrls.EVENT_LOG_URL, embeddedUrls.READ_STORE_URL)));

  describeOnServer('MongoDB', `${name}, EventStoreDB and MongoDB`, (mongodb) => {
    let eventStoreDb: TestServer;
    beforeAll(async () => void (eventStoreDb = await startEventStoreDb()));
    afterAll(() => eventStoreDb.stop());
    suite(() =>
      openEngines(eventStoreDb.url, databaseUrl(mongodb().url, `refledger-${randomUUID()}`)),
    );
  });
};

/** Runs the projector until the read model has reached the log's end. */
export const projectTo = async ({ log, store }: Engines, projection: Projection): Promise<void> => {
  const stop = new AbortController();
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const projector = new Projector({ log, store, projections: [projection], logger });
  const running = projector.run((batch) => batch.take(), stop.signal);
  const head = await log.head();
  if (head === undefined) throw new Error('the log is empty');
  expect(
    await store.waitForPosition(projection, log.id, head, { timeoutMs: scaledTimeout(20_000) }),
  ).toBe(true);
  stop.abort();
  await running;
};

export const openEngines = async (eventLogUrl: string, readStoreUrl: string): Promise<Engines> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'refledger-engines-'));
  const log = await openEventLog(eventLogUrl, { dataDir, mode: 'write' });
  const store = await openReadStore(readStoreUrl, { dataDir, mode: 'write' });
  const close = async (): Promise<void> => {
    await store.close();
    await log.close();
    rmSync(dataDir, { recursive: true });
  };
  return { log, store, close };
};
