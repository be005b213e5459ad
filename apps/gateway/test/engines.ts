import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '@refledger/event-log';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import type { ReadStore } from '@refledger/read-store';
import { openMongodbReadStore } from '@refledger/read-store/mongodb';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { patient } from '@refledger/testing';
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
  describe(`${name}, embedded`, () => suite(openSqlite));

  describeOnServer('MongoDB', `${name}, EventStoreDB and MongoDB`, (mongodb) => {
    let eventStoreDb: TestServer;
    beforeAll(async () => void (eventStoreDb = await startEventStoreDb()));
    afterAll(() => eventStoreDb.stop());
    suite(async () => {
      const url = databaseUrl(mongodb().url, `refledger-${randomUUID()}`);
      const log = await openEventStoreDbEventLog({ url: eventStoreDb.url });
      const store = await openMongodbReadStore({ url, mode: 'write' });
      return { log, store, close: () => closeAll(store, log) };
    });
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
  expect(await store.reached(projection, log.id, head, { timeoutMs: patient(20_000) })).toBe(true);
  stop.abort();
  await running;
};

const openSqlite = async (): Promise<Engines> => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-engines-'));
  const log = await openSqliteEventLog({ file: join(folder, 'events.db'), mode: 'write' });
  const store = await openSqliteReadStore({ file: join(folder, 'read-models.db'), mode: 'write' });
  const close = async (): Promise<void> => {
    await closeAll(store, log);
    rmSync(folder, { recursive: true });
  };
  return { log, store, close };
};

const closeAll = async (...opened: readonly { close(): Promise<void> }[]): Promise<void> => {
  for (const each of opened) await each.close();
};
