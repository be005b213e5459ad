import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import { openDatabase } from '@refledger/sqlite';
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

it('takes a lost key for damage, not for an erasure', async () => {
  const store = await openSqliteKeyStore({ file, create: true });
  const owner = newId('affiliate');
  const at = '2026-01-01T00:00:00.000Z';
  await store.put(owner, { accountId: newId('account'), key: 'wrapped', claim: null, at });
  await store.close();
  const db = openDatabase(file, { format: keyStoreFormat, synchronous: 'full' });
  db.exec('DELETE FROM wrapped_keys');
  db.close();
  const reader = await openSqliteKeyReader(file);
  await expect(reader.getMany([owner])).rejects.toMatchObject({
    name: 'KeyStoreError',
    kind: 'damaged',
    message: expect.stringContaining(owner) as string,
  });
  await reader.close();
});
