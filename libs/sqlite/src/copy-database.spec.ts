import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDatabase } from './copy-database.js';
import { openDatabase, type DatabaseFormat } from './database.js';

const format: DatabaseFormat = {
  name: 'test',
  applicationId: 7,
  migrations: ['CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT) STRICT'],
};
let directory: string;
const file = (name: string): string => join(directory, name);
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'copy-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const rowsOf = (name: string): unknown[] => {
  const db = openDatabase(file(name), { format, readOnly: true, synchronous: 'full' });
  try {
    return (db.prepare('SELECT id FROM rows ORDER BY id').all() as { id: number }[]).map(
      ({ id }) => id,
    );
  } finally {
    db.close();
  }
};

it('copies committed data, including that in the write-ahead log, and no open transaction', async () => {
  const db = openDatabase(file('a.db'), { format, synchronous: 'full' });
  db.exec(
    "INSERT INTO rows VALUES (1, 'folded'); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO rows VALUES (2, 'in the write-ahead log'); BEGIN; INSERT INTO rows VALUES (3, 'in progress')",
  );
  await copyDatabase(file('a.db'), file('b.db'));
  db.exec('COMMIT');
  db.close();
  expect(rowsOf('b.db')).toEqual([1, 2]);
  expect(rowsOf('a.db')).toEqual([1, 2, 3]);
});

it('rejects an existing target, and a missing source', async () => {
  openDatabase(file('a.db'), { format, synchronous: 'full' }).close();
  await expect(copyDatabase(file('a.db'), file('a.db'))).rejects.toThrow('already exists');
  await expect(copyDatabase(file('none.db'), file('c.db'))).rejects.toThrow(
    'this file does not exist',
  );
  expect(readdirSync(directory).filter((name) => name.endsWith('.db'))).toEqual(['a.db']);
});
