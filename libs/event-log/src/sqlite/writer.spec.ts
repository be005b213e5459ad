import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, SqliteError, type Database } from '@refledger/sqlite';
import { present } from '@refledger/testing/present';
import { newEvent, newStream } from '../conformance/under-test.js';
import { encodeAppend } from '../encode-append.js';
import { eventLogFormat } from './event-log.format.js';
import { failureOf } from './failure.js';
import { StreamChanges } from './stream-changes.js';
import { Writer } from './writer.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-writer-'));
  file = join(directory, 'events.db');
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true, force: true });
});

const append = (data: unknown = {}, stream = newStream()) =>
  encodeAppend(stream, [newEvent(data)], 'no stream');
const opening = append('opening', 'refledger.log');

const failureIn = (action: () => unknown): { kind: string; message: string } => {
  try {
    action();
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) return { kind: failure.fault.kind, message: failure.message };
    throw error;
  }
  throw new Error('expected a failure');
};

const storedData = (): unknown[] => {
  const db = openDatabase(file, { format: eventLogFormat, readOnly: true, synchronous: 'full' });
  const rows = db.prepare('SELECT data FROM events ORDER BY position').all() as { data: string }[];
  db.close();
  return rows.map(({ data }) => JSON.parse(data) as unknown);
};

/** Opens connections as the writer does, and remembers the last one. */
const opener = () => {
  const opened: Database[] = [];
  return {
    opened,
    open: (...parameters: Parameters<typeof openDatabase>): Database => {
      const db = openDatabase(...parameters);
      opened.push(db);
      return db;
    },
  };
};

it('appends the opening event once, however often the log is opened', () => {
  new Writer(file, opening, new StreamChanges()).close();
  new Writer(file, append('another opening', 'refledger.log'), new StreamChanges()).close();
  expect(storedData()).toEqual(['opening']);
});

it('writes no part of a group on a full disk, reports the failure, and continues when there is room', () => {
  const { open, opened } = opener();
  const writer = new Writer(file, opening, new StreamChanges(), open);
  present(opened[0]).exec('PRAGMA max_page_count = 20');
  const failure = failureIn(() => writer.commit([append('small'), append('x'.repeat(200_000))]));
  expect(failure).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining(`${file}: the disk that holds this file is full`) as unknown,
  });
  expect(storedData()).toEqual(['opening']);

  expect(writer.commit([append('after')])).toMatchObject([
    { kind: 'appended', revision: 0, position: 2 },
  ]);
  expect(opened).toHaveLength(2);
  expect(present(opened[0]).isOpen).toBe(false);
  writer.close();
  expect(storedData()).toEqual(['opening', 'after']);
});

it('reports an unknown outcome for a failed commit, which a repeat resolves', () => {
  const { open, opened } = opener();
  const writer = new Writer(file, opening, new StreamChanges(), open);
  const db = present(opened[0]);
  const exec = db.exec.bind(db);
  // A commit that reaches the disk but is reported as failed, as after a failed fsync.
  const failingExec = (sql: string): void => {
    exec(sql);
    if (sql === 'COMMIT')
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 });
  };
  Object.defineProperty(db, 'exec', { value: failingExec });
  const request = append('uncertain');
  expect(failureIn(() => writer.commit([request]))).toMatchObject({ kind: 'unknown_outcome' });
  expect(writer.commit([request])).toEqual([{ kind: 'appended', revision: 0, position: 2 }]);
  writer.close();
  expect(storedData()).toEqual(['opening', 'uncertain']);
});

it('is unavailable until the file can be opened again', () => {
  const { open, opened } = opener();
  let refusing = false;
  const writer = new Writer(file, opening, new StreamChanges(), (...parameters) => {
    if (refusing) throw new SqliteError('cannot_open', file, 'not now');
    return open(...parameters);
  });
  present(opened[0]).exec('PRAGMA max_page_count = 1');
  refusing = true;
  expect(failureIn(() => writer.commit([append('x'.repeat(100_000))]))).toMatchObject({
    kind: 'unavailable',
  });
  expect(failureIn(() => writer.commit([append()]))).toMatchObject({
    kind: 'unusable',
    message: `${file}: not now`,
  });
  refusing = false;
  expect(writer.commit([append()])).toMatchObject([{ kind: 'appended', position: 2 }]);
  writer.close();
});

it('leaves a single file when it is closed', () => {
  const writer = new Writer(file, opening, new StreamChanges());
  writer.commit([append('last')]);
  writer.close();
  rmSync(`${file}-wal`, { force: true });
  rmSync(`${file}-shm`, { force: true });
  expect(storedData()).toEqual(['opening', 'last']);
});

it('stays correct alongside a second writer, which only the directory lock prevents', () => {
  const [one, two] = [
    new Writer(file, opening, new StreamChanges()),
    new Writer(file, opening, new StreamChanges()),
  ];
  const stream = newStream();
  expect(one.commit([append('one', stream)])).toEqual([
    { kind: 'appended', revision: 0, position: 2 },
  ]);
  expect(two.commit([append('two', stream), append('three')])).toEqual([
    { kind: 'wrong_revision', actual: 0 },
    { kind: 'appended', revision: 0, position: 3 },
  ]);
  expect(one.commit([append('four')])).toEqual([{ kind: 'appended', revision: 0, position: 4 }]);
  one.close();
  two.close();
});

const onPosix = process.platform === 'win32' ? it.skip : it;

onPosix('refuses a file or directory that it cannot write, naming it', () => {
  new Writer(file, opening, new StreamChanges()).close();
  const copy = join(directory, 'copy.db'); // this process has no descriptor for it yet
  copyFileSync(file, copy);
  chmodSync(copy, 0o444);
  chmodSync(directory, 0o555);
  expect(
    asAnyone(() => failureIn(() => new Writer(copy, opening, new StreamChanges()))),
  ).toMatchObject({ kind: 'unusable', message: expect.stringContaining(copy) as unknown });
  const absent = join(directory, 'absent.db');
  expect(
    asAnyone(() => failureIn(() => new Writer(absent, opening, new StreamChanges()))),
  ).toMatchObject({ kind: 'unusable', message: expect.stringContaining(absent) as unknown });
});

/** Runs the action as an unprivileged user, because file modes don't apply to the superuser. */
const asAnyone = <T>(action: () => T): T => {
  if (process.getuid?.() !== 0) return action();
  process.seteuid?.(65_534);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
  }
};

it('a probe does not wait for a lock, and the writer keeps working', () => {
  const { open, opened } = opener();
  const writer = new Writer(file, opening, new StreamChanges(), open);
  expect(writer.probe()).toBeUndefined();
  const other = openDatabase(file, { format: eventLogFormat, synchronous: 'full' });
  other.exec('BEGIN IMMEDIATE');
  const executed: string[] = [];
  const exec = present(opened[0]).exec.bind(opened[0]);
  Object.defineProperty(opened[0], 'exec', {
    value: (sql: string) => {
      executed.push(sql);
      exec(sql);
    },
  });
  expect(failureIn(() => writer.probe())).toMatchObject({ kind: 'unavailable' });
  expect(executed).toEqual([
    'PRAGMA busy_timeout = 0',
    'BEGIN IMMEDIATE',
    'PRAGMA busy_timeout = 5000',
  ]);
  other.exec('ROLLBACK');
  other.close();
  expect(writer.probe()).toBeUndefined();
  expect(present(opened[0]).prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5_000 });
  writer.commit([append('after')]);
  writer.close();
  expect(storedData()).toEqual(['opening', 'after']);
});
