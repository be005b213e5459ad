import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '@refledger/sqlite';
import { count, Random, testSeed } from '@refledger/testing';
import type { AffiliateId } from '@refledger/contracts';
import { affiliate, erasureAt, keyOf, rowsOf } from '../conformance/under-test.js';
import type { KeyStore } from '../key-store.js';
import { keyStoreFormat } from './key-store.format.js';
import { keyWriter } from './key-writer.js';
import { openSqliteKeyStore } from './sqlite-key-store.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-vanished-'));
  file = join(directory, 'personal-keys.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const newKey = (bytes = 60): string => randomBytes(bytes).toString('base64url');
/** The keys that are in some file. */
const foundInFiles = (...keys: readonly string[]): readonly string[] => {
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
  return keys.filter((key) => files.some((bytes) => bytes.includes(key)));
};
const reader = (): Database =>
  openDatabase(file, { format: keyStoreFormat, readOnly: true, synchronous: 'full' });

const chunks = <T>(all: readonly T[], size = 50): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
    all.slice(n * size, (n + 1) * size),
  );

/** Puts keys with claims, in the random order of the ids, as creating affiliates does. */
const putMany = async (store: KeyStore, n: number): Promise<Map<AffiliateId, string>> => {
  const keys = new Map(Array.from({ length: n }, (_, i) => [affiliate(String(i)), newKey()]));
  for (const some of chunks([...keys]))
    await Promise.all(
      some.map(([owner, key]) => store.put(owner, keyOf(key, `claim of ${owner}`))),
    );
  return keys;
};

it('a destroyed key is in no file, whatever other rows do', async () => {
  const store = await openSqliteKeyStore({ file, create: true });
  const other = reader();
  const random = new Random(testSeed);
  const gone: string[] = [];
  /** Destroys half of the keys, and rewraps some. */
  const change = async ([owner, key]: readonly [AffiliateId, string]): Promise<void> => {
    const choice = random.next();
    if (choice < 0.4) return;
    gone.push(key);
    if (choice < 0.9) return store.destroy(owner, erasureAt(1));
    await store.rewrap(owner, key, newKey(choice < 0.95 ? 60 : 90));
  };
  for (const some of chunks([...(await putMany(store, count(1_500, 4_000)))])) {
    await Promise.all(some.map(change));
    other.prepare('SELECT count(*) FROM owners').all();
  }
  expect(gone.length).toBeGreaterThan(0);
  expect(foundInFiles(...gone)).toEqual([]);

  // the search finds the keys that are left
  const left = (await rowsOf(store)).flatMap((row) => (row.kind === 'key' ? [row.key] : []));
  expect(left.length).toBeGreaterThan(0);
  expect(foundInFiles(...left)).toEqual(left);
  other.close();
  await store.close();
});

it('waits until no connection needs the write-ahead log', async () => {
  const store = await openSqliteKeyStore({ file, create: true });
  const key = newKey();
  await store.put(affiliate('a'), keyOf(key));
  const other = reader();
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM owners').all();

  let isResolved = false;
  const destroying = store.destroy(affiliate('a'), erasureAt(1)).then(() => (isResolved = true));
  // a later call's answer shows that the thread has made the first attempt
  await store.put(affiliate('b'), keyOf('key b'));
  expect((await store.getMany([affiliate('a')])).get(affiliate('a'))?.kind).toBe('erased');
  expect(isResolved).toBe(false);
  expect(foundInFiles(key)).toEqual([key]);
  other.exec('COMMIT');
  await destroying;
  expect(foundInFiles(key)).toEqual([]);
  other.close();
  await store.close();
});

it('removes what a crash left in the write-ahead log', async () => {
  const key = newKey();
  const crashed = keyWriter(file, true);
  crashed.perform([
    { method: 'id', args: ['one'] },
    { method: 'put', args: [affiliate('a'), keyOf(key)] },
  ]);
  crashed.perform([{ method: 'destroy', args: [affiliate('a'), erasureAt(1)] }]);
  expect(foundInFiles(key)).toEqual([key]);
  const store = await openSqliteKeyStore({ file, create: false });
  expect(foundInFiles(key)).toEqual([]);
  await store.close();
  crashed.close();
});
