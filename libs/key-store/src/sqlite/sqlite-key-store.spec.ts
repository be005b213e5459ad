import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import { openDatabase } from '@refledger/sqlite';
import { erasedAt, erasureAt, rowsOf } from '../conformance/under-test.js';
import { lostKey } from '../key-store.js';
import { keyStoreFormat } from './key-store.format.js';
import { openSqliteKeyReader } from './sqlite-key-reader.js';
import { openSqliteKeyStore } from './sqlite-key-store.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-keys-'));
  file = join(directory, 'personal-keys.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What both ways of opening an existing file reject with. */
const expectRefused = async (kind: string): Promise<void> => {
  const openings = [
    () => openSqliteKeyStore({ file, create: false }),
    () => openSqliteKeyReader(file),
  ];
  for (const open of openings)
    await expect(open()).rejects.toMatchObject({
      name: 'KeyStoreError',
      kind,
      message: expect.stringContaining(file) as string,
    });
};

it('rejects a file that is no database as damaged, and leaves it as it is', async () => {
  const text = 'this text is not a database, and is longer than a SQLite header. '.repeat(20);
  writeFileSync(file, text);
  await expectRefused('damaged');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('rejects a database of another kind', async () => {
  const format = { name: 'event log', applicationId: 7, migrations: ['SELECT 1'] };
  openDatabase(file, { format, synchronous: 'full' }).close();
  await expectRefused('unusable');
});

it('takes an empty file for no store', async () => {
  writeFileSync(file, '');
  await expectRefused('absent');
});

it('creates no file unless asked to', async () => {
  await expectRefused('absent');
  expect(existsSync(file)).toBe(false);
});

it('takes a file whose creation was interrupted for no store', async () => {
  openDatabase(file, { format: keyStoreFormat, synchronous: 'full' }).close();
  await expectRefused('absent');
});

it.each([
  ['the row of its key', 'DELETE FROM wrapped_keys WHERE seq = 1'],
  ['the reference to its key', 'UPDATE owners SET key_seq = NULL WHERE key_seq = 1'],
  ['the text of its key', "UPDATE wrapped_keys SET key = '' WHERE seq = 1"],
])('an owner that has lost %s is not erased, and can be', async (_, damage) => {
  const store = await openSqliteKeyStore({ file, create: true });
  const [owner, other] = [newId('affiliate'), newId('affiliate')];
  const accountId = newId('account');
  const key = { accountId, key: 'wrapped', claim: 'claim', at: '2026-01-01T00:00:00.000Z' };
  await store.put(owner, key);
  await store.put(other, key);
  const db = openDatabase(file, { format: keyStoreFormat, synchronous: 'full' });
  db.exec(damage);
  db.close();

  const lost = { kind: 'key', key: lostKey };
  expect((await store.getMany([owner, other])).get(owner)).toEqual(lost);
  // a new key would not open what the lost one has sealed
  expect(await store.put(owner, key)).toEqual(lost);
  expect((await rowsOf(store)).filter((row) => row.owner === owner)).toMatchObject([lost]);
  await store.destroy(owner, erasureAt(9));
  const stored = await store.getMany([owner, other]);
  expect(stored.get(owner)).toEqual({ kind: 'erased', ...erasedAt(9) });
  expect(stored.get(other)).toEqual({ kind: 'key', key: 'wrapped' });
  await store.close();
});
