import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '@refledger/sqlite';
import { affiliate, erasedAt, erasureAt, keyOf } from '../conformance/under-test.js';
import type { KeyOwner } from '../key-store.js';
import { keyRows } from './key-rows.js';
import { keyStoreFormat } from './key-store.format.js';
import { openSqliteKeyStore } from './sqlite-key-store.js';
import { unchangedKeys } from './unchanged-keys.js';

let directory: string;
let file: string;
let db: Database;
/** The owners that were read from the file. */
let read: KeyOwner[];

const store = async (maxKept?: number) => {
  const opened = await openSqliteKeyStore({ file, create: true });
  db = openDatabase(file, { format: keyStoreFormat, readOnly: true, synchronous: 'full' });
  const { getMany } = keyRows(db);
  read = [];
  const get = unchangedKeys(
    db,
    (owners) => {
      read.push(...owners);
      return getMany(owners);
    },
    maxKept,
  );
  return { opened, get };
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-unchanged-'));
  file = join(directory, 'personal-keys.db');
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const [a, b, c] = [affiliate('a'), affiliate('b'), affiliate('c')];

it('reads only owners that were not read before', async () => {
  const { opened, get } = await store();
  await opened.put(a, keyOf('key a'));
  await opened.put(b, keyOf('key b'));
  expect([...get([a])]).toEqual([[a, { kind: 'key', key: 'key a' }]]);
  expect([...get([b, a])]).toEqual([
    [b, { kind: 'key', key: 'key b' }],
    [a, { kind: 'key', key: 'key a' }],
  ]);
  expect(read).toEqual([a, b]);
  await opened.close();
});

it('forgets what it has read once that is too much', async () => {
  const { opened, get } = await store(1);
  for (const owner of [a, b]) await opened.put(owner, keyOf(`key of ${owner}`));
  for (let n = 0; n < 3; n++) expect(get([a, b]).size).toBe(2);
  expect(read).toEqual([a, b, a, b, a, b]);
  await opened.close();
});

it('asks again for an owner without a row', async () => {
  const { opened, get } = await store();
  expect([get([c]).size, get([c]).size, read]).toEqual([0, 0, [c, c]]);
  await opened.close();
});

it('sees what another connection destroys, rewraps or puts as soon as it is done', async () => {
  const { opened, get } = await store();
  await opened.put(a, keyOf('key a'));
  await opened.put(b, keyOf('key b'));
  expect(get([a, b, c]).size).toBe(2);

  await opened.destroy(a, erasureAt(7));
  expect(get([a]).get(a)).toEqual({ kind: 'erased', ...erasedAt(7) });
  await opened.rewrap(b, 'key b', 'key B');
  expect(get([b]).get(b)).toEqual({ kind: 'key', key: 'key B' });
  await opened.put(c, keyOf('key c'));
  expect(get([c]).get(c)).toEqual({ kind: 'key', key: 'key c' });
  await opened.close();
});
