import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  openDatabase,
  SqliteError,
  transaction,
  type Database,
  type DatabaseFormat,
} from './index.js';

const format: DatabaseFormat = {
  name: 'test store',
  applicationId: 4711,
  migrations: ['CREATE TABLE a (x TEXT NOT NULL UNIQUE)'],
};
const newer: DatabaseFormat = {
  ...format,
  migrations: [...format.migrations, "INSERT INTO a VALUES ('migrated')"],
};

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-sqlite-'));
  file = join(directory, 'a.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (
  options: {
    readOnly?: boolean;
    format?: DatabaseFormat;
    file?: string;
    busyTimeoutMs?: number;
  } = {},
) =>
  openDatabase(options.file ?? file, {
    format: options.format ?? format,
    synchronous: 'full',
    readOnly: options.readOnly ?? false,
    busyTimeoutMs: options.busyTimeoutMs ?? 0,
  });

const errorOf = (action: () => unknown): SqliteError => {
  try {
    action();
  } catch (error) {
    if (error instanceof SqliteError) return error;
    throw error;
  }
  throw new Error('expected a SqliteError');
};

describe('openDatabase', () => {
  it('creates a file in write-ahead mode with full synchronisation, and reopens it unchanged', () => {
    const db = open();
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('PRAGMA application_id').get()).toEqual({ application_id: 4711 });
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    db.exec("INSERT INTO a VALUES ('kept')");
    db.close();

    const again = open();
    expect(again.prepare('SELECT x FROM a').all()).toEqual([{ x: 'kept' }]);
    again.close();
  });

  it('opens a file left by a crash between the first write and the schema', () => {
    const db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = WAL');
    db.close();
    open().close();
    const empty = join(directory, 'empty.db');
    writeFileSync(empty, '');
    open({ file: empty }).close();
  });

  it('runs only the migrations that a file lacks', () => {
    open().close();
    open({ format: newer }).close();
    const db = open({ format: newer });
    expect(db.prepare('SELECT x FROM a').all()).toEqual([{ x: 'migrated' }]);
    db.close();
  });

  it('rolls back a failed migration', () => {
    open().close();
    expect(() =>
      open({
        format: {
          ...format,
          migrations: [...format.migrations, 'CREATE TABLE b (x); SELECT nonsense'],
        },
      }),
    ).toThrow(SqliteError);
    const db = open();
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'b'").all()).toEqual([]);
    db.close();
  });

  it('rejects a file from a newer release, and a read-only one from an older release', () => {
    open({ format: newer }).close();
    expect(errorOf(() => open())).toMatchObject({ fault: 'newer', file });
    expect(errorOf(() => open({ readOnly: true }))).toMatchObject({ fault: 'newer' });
    expect(
      errorOf(() =>
        open({
          readOnly: true,
          format: { ...newer, migrations: [...newer.migrations, 'SELECT 1'] },
        }),
      ),
    ).toMatchObject({ fault: 'older' });
  });

  it('rejects another program’s database and leaves it untouched', () => {
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    const before = readFileSync(file);
    expect(errorOf(() => open())).toMatchObject({ fault: 'foreign', file });
    expect(errorOf(() => open({ readOnly: true })).message).toContain(
      `${file}: this SQLite database is not a Refledger test store`,
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('rejects a file that is not a database and leaves it untouched', () => {
    const text = 'a letter to a friend\n'.repeat(100);
    writeFileSync(file, text);
    expect(errorOf(() => open())).toMatchObject({ fault: 'corrupt', file });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('names the file when it is a directory, is in a missing directory, or is missing', () => {
    expect(errorOf(() => open({ file: directory }))).toMatchObject({ fault: 'cannot_open' });
    expect(errorOf(() => open({ file: join(directory, 'none', 'a.db') }))).toMatchObject({
      fault: 'cannot_open',
      file: join(directory, 'none', 'a.db'),
    });
    expect(errorOf(() => open({ readOnly: true }))).toMatchObject({ fault: 'absent', file });
    writeFileSync(file, '');
    expect(errorOf(() => open({ readOnly: true }))).toMatchObject({ fault: 'absent', file });
  });

  it('reads what another connection writes, and cannot write when it is read-only', () => {
    const writer = open();
    const reader = open({ readOnly: true });
    transaction(writer, () => writer.exec("INSERT INTO a VALUES ('new')"));
    expect(reader.prepare('SELECT x FROM a').all()).toEqual([{ x: 'new' }]);
    expect(
      errorOf(() => transaction(reader, () => reader.exec("INSERT INTO a VALUES ('no')"))),
    ).toMatchObject({ fault: 'read_only', maybeWritten: false });
    writer.close();
    reader.close();
  });
});

describe('transaction', () => {
  it('is atomic, and rethrows errors from the work', () => {
    const db = open();
    const mistake = new Error('mistake');
    expect(() =>
      transaction(db, () => {
        db.exec("INSERT INTO a VALUES ('half')");
        throw mistake;
      }),
    ).toThrow(mistake);
    expect(db.isTransaction).toBe(false);
    expect(db.prepare('SELECT x FROM a').all()).toEqual([]);
    expect(transaction(db, () => 'done')).toBe('done');
    db.close();
  });

  it('distinguishes busy, full, constraint and closed', () => {
    const db = open();
    const other = open();
    other.exec('BEGIN IMMEDIATE');
    expect(errorOf(() => transaction(db, () => 1))).toMatchObject({ fault: 'busy', file });
    other.exec('ROLLBACK');
    const insert = db.prepare('INSERT INTO a VALUES (?)');
    expect(
      errorOf(() => transaction(db, () => ['twice', 'twice'].map((x) => insert.run(x)))),
    ).toMatchObject({ fault: 'constraint' });
    db.exec('PRAGMA max_page_count = 4');
    expect(errorOf(() => transaction(db, () => insert.run('x'.repeat(100_000))))).toMatchObject({
      fault: 'full',
      maybeWritten: false,
    });
    db.close();
    expect(errorOf(() => transaction(db, () => 1))).toMatchObject({ fault: 'closed' });
    other.close();
  });

  it('reports a value that exceeds SQLite’s limit', () => {
    const db = open();
    expect(
      errorOf(() =>
        transaction(db, () => db.prepare('INSERT INTO a VALUES (zeroblob(2000000000))').run()),
      ),
    ).toMatchObject({ fault: 'too_big' });
    expect(
      errorOf(() => transaction(db, () => void db.prepare('SELECT zeroblob(2000000000)').all())),
    ).toMatchObject({ fault: 'too_big' });
    db.close();
  });

  it('reports that a failed commit may have been written unless the disk was full', () => {
    const failing = (errcode: number) => ({
      file,
      isTransaction: false,
      exec: (sql: string) => {
        if (sql === 'COMMIT')
          throw Object.assign(new Error('commit failed'), { code: 'ERR_SQLITE_ERROR', errcode });
      },
    });
    const outcome = (errcode: number) =>
      errorOf(() => transaction(failing(errcode) as unknown as Database, () => 1)).maybeWritten;
    expect(outcome(1034)).toBe(true); // SQLITE_IOERR_FSYNC
    expect(outcome(13)).toBe(false);
  });
});
