import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Connection } from './connection.js';
import { canonicalPath } from './database.js';
import { SqliteError, toSqliteError } from './sqlite-error.js';

/**
 * A data directory that this process holds until `release`, or until the process ends in any way.
 */
export interface DirectoryLock {
  release(): void;
}

/** Another process (or this one) holds the directory. The message names the process. */
export class DirectoryLocked extends Error {
  constructor(
    readonly directory: string,
    readonly pid: number | undefined,
    holder: string,
  ) {
    super(`${directory} is in use by ${holder}`);
    this.name = 'DirectoryLocked';
  }
}

/**
 * Locks a data directory, and creates it when it does not exist. Throws `DirectoryLocked`, or a
 * `SqliteError` when the directory can't be written.
 *
 * The kernel holds the lock: an open `BEGIN EXCLUSIVE` on `lock.db`, which ends with the process.
 * Nothing else in the process may open that file (to copy the directory, for example): POSIX drops
 * a process's locks on a file when any descriptor of it is closed. `lock.pid` serves only the
 * message.
 */
export const lockDirectory = (path: string): DirectoryLock => {
  const file = join(path, 'lock.db');
  const pidFile = join(path, 'lock.pid');
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new SqliteError('cannot_open', path, 'this directory cannot be created', {
      cause: error,
    });
  }
  const db = holdExclusively(canonicalPath(file), path);
  held.add(db);
  writeHolder(pidFile);
  return {
    release: () => {
      if (!held.delete(db)) return;
      rmSync(pidFile, { force: true });
      db.close();
    },
  };
};

/** Whether a process holds the directory now. Changes nothing. */
export const isDirectoryLocked = (path: string): boolean => {
  const file = canonicalPath(join(path, 'lock.db'));
  if (!existsSync(file)) return false;
  let db: Connection | undefined;
  try {
    db = connect(file, { readOnly: true });
    db.exec('SELECT count(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    const known = toSqliteError(error, file);
    if (!(known instanceof SqliteError)) throw known;
    if (known.fault === 'busy') return true;
    // a damaged file that is locked would be busy
    if (known.fault === 'corrupt') return false;
    throw known;
  } finally {
    db?.close();
  }
};

/**
 * Keeps the connections referenced: garbage collection would close them and so drop their locks.
 */
const held = new Set<Connection>();

const holdExclusively = (file: string, directory: string, isRepaired = false): Connection => {
  let db: Connection | undefined;
  try {
    // The timeout is longer than another process's `isDirectoryLocked` takes to read.
    db = connect(file, { timeout: 300 });
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    const known = toSqliteError(error, file);
    if (!(known instanceof SqliteError)) throw known;
    if (known.fault === 'busy') throw lockedBy(directory);
    if (known.fault !== 'corrupt' || isRepaired) throw known;
    // It holds nothing, and no one has locked it: that error would have come first. It keeps its
    // inode, so that two processes that do this at the same time still lock the same file.
    truncateSync(file);
    return holdExclusively(file, directory, true);
  }
};

const lockedBy = (directory: string): DirectoryLocked => {
  const { pid, started_at } = readHolder(join(directory, 'lock.pid'));
  return new DirectoryLocked(
    directory,
    pid,
    pid === undefined
      ? 'another process'
      : `process ${pid}, started ${started_at ?? 'at an unknown time'}`,
  );
};

/** Writes the holder for messages. On a full disk it can't; the lock works without it. */
const writeHolder = (pidFile: string): void => {
  try {
    writeFileSync(
      pidFile,
      JSON.stringify({
        pid: process.pid,
        started_at: new Date(Date.now() - process.uptime() * 1000).toISOString(),
      }),
    );
  } catch {
    rmSync(pidFile, { force: true });
  }
};

const readHolder = (pidFile: string): { readonly pid?: number; readonly started_at?: string } => {
  try {
    return (JSON.parse(readFileSync(pidFile, 'utf8')) ?? {}) as {
      pid?: number;
      started_at?: string;
    };
  } catch {
    return {};
  }
};
