import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@refledger/contracts';
import type { EventLog, ReadStreamOptions } from '@refledger/event-log';
import {
  eachWithLog,
  eventWith,
  expectNeverOlder,
  expectContinuedReading,
  last,
  newStream,
  type EventLogUnderTest,
} from '@refledger/event-log/conformance';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { openSqliteEventLog, type SqliteEventLog } from '@refledger/event-log/sqlite';
import { startEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { AggregateCache } from '../src/aggregate-cache.js';

/** Loads streams through a new cache. */
const cached = (log: EventLog) => {
  const cache = new AggregateCache(log);
  return (stream: StreamName) => cache.load(last, stream);
};

/** A log in a new folder. Additional handles append through the first one's thread. */
const startSqlite = async (): Promise<EventLogUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'refledger-cache-'));
  const file = join(folder, 'events.db');
  let owner: SqliteEventLog | undefined;
  return {
    open: async () =>
      owner === undefined
        ? (owner = await openSqliteEventLog({ file, mode: 'write' }))
        : openSqliteEventLog({ file, mode: 'write', writer: owner.writerPort() }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

let server: TestServer;
beforeAll(async () => {
  server = await startEventStoreDb();
});
afterAll(() => server.stop());

const startOnServer = (): Promise<EventLogUnderTest> =>
  Promise.resolve({
    open: () => openEventStoreDbEventLog({ url: server.url }),
    remove: () => Promise.resolve(),
  });

/**
 * Cached streams equal what reading them would give, on a log with `versions` and on one without.
 */
describe.each([
  { engine: 'SQLite', start: startSqlite },
  { engine: 'EventStoreDB', start: startOnServer },
])('the aggregate cache on $engine', ({ start }) => {
  const handles = eachWithLog(start);

  it('is never older than an acknowledged append by any handle', () =>
    expectNeverOlder(handles(), cached));

  it('reads a changed stream from its last known event on', () =>
    expectContinuedReading(handles(), cached));

  it('drops a stream whose history is no longer the same', async () => {
    const { log } = handles();
    const [stream, shorter, other] = [newStream(), newStream(), newStream()];
    await log.append(stream, [0, 1, 2].map(eventWith), 'no stream');
    await log.append(shorter, [10, 11].map(eventWith), 'no stream');
    await log.append(other, [20, 21, 22].map(eventWith), 'no stream');
    let now: StreamName = stream;
    const cache = new AggregateCache(
      Object.assign(Object.create(log) as EventLog, {
        versions: undefined,
        readStream: (_stream: StreamName, options: ReadStreamOptions) =>
          log.readStream(now, options),
      }),
    );
    expect(await cache.load(last, stream)).toMatchObject({ state: 2, revision: 2 });

    for (const [is, state, revision] of [
      [other, 22, 2],
      [shorter, 11, 1],
      [newStream(), 0, undefined],
      [stream, 2, 2],
    ] as const) {
      now = is;
      expect(await cache.load(last, stream)).toMatchObject({ state, revision });
    }
  });
});
