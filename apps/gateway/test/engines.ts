import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { scaledTimeout } from '@refledger/testing';
import { Projector, type Projection } from '@refledger/projections';

/** An event log and a read store for one test. */
export interface Engines {
  readonly log: EventLog;
  readonly store: ReadStore;
  close(): Promise<void>;
}

/** Opens engines for one test. */
export type OpenEngines = () => Promise<Engines>;

export const openEmbedded: OpenEngines = () =>
  openEngines(embeddedUrls.EVENT_LOG_URL, embeddedUrls.READ_STORE_URL);

/** Runs the projector until the read model has reached the log's end. */
export const projectTo = async ({ log, store }: Engines, projection: Projection): Promise<void> => {
  const stop = new AbortController();
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const projector = new Projector({ log, store, projections: [projection], logger });
  const running = projector.run((batch) => batch.apply(), stop.signal);
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
