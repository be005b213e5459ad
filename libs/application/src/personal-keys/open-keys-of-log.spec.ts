import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId, eventSchemaVersion, streams } from '@refledger/contracts';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { eventsOf } from '@refledger/event-log/conformance';
import { dataDirectory } from '@refledger/engines';
import { KeyStoreError, type KeyReader } from '@refledger/key-store';
import { affiliateEvents } from '@refledger/domain/testing';
import { newSimulatedLog } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import {
  openExistingKeysOfLog,
  openKeyReaderOfLog,
  openKeysOfLog,
  openStoredKeysOfLog,
} from './open-keys-of-log.js';

const url = 'sqlite:';
const ada = derivedId('affiliate', 'ada');
const key = { accountId: derivedId('account', 'one'), key: 'key', claim: null } as const;
const at = '2026-01-01T00:00:00.000Z';

let log: EventLog;
let dataDir: string;
let opened: KeyReader[];
const directories: string[] = [];
const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-keys-'));
  directories.push(directory);
  return directory;
};
beforeEach(() => {
  log = newSimulatedLog();
  dataDir = newDirectory();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await log.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** Keeps the store, to close it after the test. */
const kept = async <Store extends KeyReader>(opening: Promise<Store>): Promise<Store> => {
  const store = await opening;
  opened.push(store);
  return store;
};
// each call is that of another process
const openKeys = (from = dataDir) => kept(openKeysOfLog(log, { url, dataDir: from }));
const openReader = (from = dataDir) => kept(openKeyReaderOfLog(log, { url, dataDir: from }));
const openExisting = (from = dataDir) => kept(openExistingKeysOfLog(log, { url, dataDir: from }));
const refusal = (opening: Promise<unknown>): Promise<KeyStoreError> =>
  opening.then(
    () => {
      throw new Error('expected the store not to open');
    },
    (error: unknown) => {
      if (error instanceof KeyStoreError) return error;
      throw error;
    },
  );
/** The ids of the key stores that the log names. */
const recorded = async (): Promise<unknown[]> =>
  (await eventsOf(log.readStream(streams.log)))
    .filter(({ type }) => type === 'log.key_store_recorded')
    .map(({ data }) => (data as { readonly key_store_id: string }).key_store_id);

it('a new log gets a new store, and names it before the first key can be put', async () => {
  const store = await openKeys();
  expect(await recorded()).toEqual([store.id]);
  expect((await store.put(ada, { ...key, at })).kind).toBe('key');
});

it('a log keeps its store, which it names once', async () => {
  const first = await openKeys();
  await first.put(ada, { ...key, at });
  await first.close();
  const again = await openKeys();
  expect(again.id).toBe(first.id);
  expect((await again.getMany([ada])).get(ada)).toEqual({ kind: 'key', key: 'key' });
  expect(await recorded()).toEqual([first.id]);
});

it('a store whose gateway crashed before the log named it is named by the next one', async () => {
  const other = newSimulatedLog();
  const crashed = await kept(openKeysOfLog(other, { url, dataDir }));
  await other.close();
  expect(await recorded()).toEqual([]);
  expect((await openKeys()).id).toBe(crashed.id);
  expect(await recorded()).toEqual([crashed.id]);
});

it('gateways that start at the same time in one directory get one store', async () => {
  const stores = await Promise.all([openKeys(), openKeys(), openKeys()]);
  expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
  expect(await recorded()).toEqual([stores[0].id]);
});

it('of gateways that start at the same time with different stores, one does not start', async () => {
  const outcomes = await Promise.allSettled([openKeys(), openKeys(newDirectory())]);
  const started = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value.id] : [],
  );
  expect(started).toEqual(await recorded());
  expect(started).toHaveLength(1);
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as KeyStoreError] : [],
  );
  expect(refused).toMatchObject([{ name: 'KeyStoreError', kind: 'unusable' }]);
});

it.each([
  ['a key', eventSchemaVersion],
  ['a key, of which this release cannot read the erasure,', eventSchemaVersion + 1],
])(
  '%s that a crash in an erasure has left is destroyed before anything is opened',
  async (_, schema) => {
    const about = { affiliate_id: ada, program_id: 'prog_a' } as const;
    const store = await openKeys();
    await store.put(ada, { ...key, at });
    const metadata = { account_id: key.accountId, actor: 'test', request_id: 'r', recorded_at: at };
    const events = [affiliateEvents.created(about), affiliateEvents.erased(about)];
    const encoded = events.map((event) => encodeEvent(event, randomUUID(), metadata));
    const [created, erased] = [present(encoded[0]), present(encoded[1])];
    const recorded = { ...erased, metadata: { ...erased.metadata, schema } };
    await log.append(streams.affiliate(ada), [created, recorded], 'no stream');
    await store.close();

    const shown = await openReader();
    expect((await shown.getMany([ada])).get(ada)).toMatchObject({ kind: 'erased' });
    const stored = await kept(openStoredKeysOfLog(log, { url, dataDir }));
    expect((await stored.getMany([ada])).get(ada)).toMatchObject({ kind: 'key' });
    await openKeys();
    expect((await stored.getMany([ada])).get(ada)).toMatchObject({ kind: 'erased' });
  },
);

it('a missing store is absent, and no new one takes its place', async () => {
  await (await openKeys()).close();
  for (const file of readdirSync(dataDir)) rmSync(join(dataDir, file));
  for (const opening of [openKeys(), openReader(), openExisting()])
    expect(await refusal(opening)).toMatchObject({
      kind: 'absent',
      message: expect.stringContaining(dataDirectory(dataDir).personalKeys) as string,
    });
  expect(existsSync(dataDirectory(dataDir).personalKeys)).toBe(false);
  expect(await recorded()).toHaveLength(1);
});

it('the store of another log is unusable, and both are named', async () => {
  const own = await openKeys();
  const directory = newDirectory();
  const otherLog = newSimulatedLog();
  const other = await kept(openKeysOfLog(otherLog, { url, dataDir: directory }));
  await otherLog.close();
  for (const opening of [openKeys, openReader, openExisting].map((open) => open(directory)))
    expect(await refusal(opening)).toMatchObject({
      kind: 'unusable',
      message: expect.stringMatching(new RegExp(`${own.id}.*${other.id}`)) as string,
    });
  expect(await recorded()).toEqual([own.id]);
});

describe('a reader', () => {
  it('is unavailable until a gateway has created the store, and creates none', async () => {
    for (const opening of [openReader(), openExisting()])
      expect(await refusal(opening)).toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('Start a gateway') as string,
      });
    expect(readdirSync(dataDir)).toEqual([]);
    expect(await recorded()).toEqual([]);

    const store = await openKeys();
    await store.put(ada, { ...key, at });
    const reader = await openReader();
    expect(reader.id).toBe(store.id);
    expect(present((await reader.getMany([ada])).get(ada))).toEqual({ kind: 'key', key: 'key' });
  });
});
