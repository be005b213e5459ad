import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './connection.js';
import { SqliteError, toSqliteError } from './sqlite-error.js';

/**
 * Runs `work` in one write transaction: all of it is kept, or nothing. Throws what `work` throws,
 * and `SqliteError`s. One with `maybeWritten` says that the commit itself failed with an unknown
 * outcome.
 */
export const transaction = <T>(db: Database, work: () => T): T => {
  begin(db);
  let result: T;
  try {
    result = work();
  } catch (error) {
    rollBack(db);
    throw toSqliteError(error, db.file);
  }
  commit(db);
  return result;
};

/**
 * Like `transaction`, but does not wait for another connection's lock: it throws a `busy` error, and
 * nothing was done.
 */
export const tryTransaction = <T>(db: Database, work: () => T): T =>
  withoutWaiting(db, (restore) =>
    transaction(db, () => {
      restore();
      return work();
    }),
  );

/**
 * Runs `work` while the connection does not wait for locks of others. `restore` lets it wait again
 * earlier.
 */
export const withoutWaiting = <T>(db: Database, work: (restore: () => void) => T): T => {
  const waitMs = db.prepare<{ timeout: number }>('PRAGMA busy_timeout').get()?.timeout ?? 0;
  const restore = (): void => db.exec(`PRAGMA busy_timeout = ${waitMs}`);
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return work(restore);
  } finally {
    if (db.isOpen) restore();
  }
};

/**
 * Repeats an attempt while it throws a `busy` error, for up to `timeoutMs`. The thread does other
 * work in between, whereas SQLite's own wait for a lock would block all of it.
 */
export const retryWhileBusy = async <T>(attempt: () => T, timeoutMs = 5_000): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, 50)) {
    try {
      return attempt();
    } catch (error) {
      const isBusy = error instanceof SqliteError && error.fault === 'busy';
      if (!isBusy || performance.now() >= deadline) throw error;
    }
    await sleep(waitMs);
  }
};

const begin = (db: Database): void => {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw toSqliteError(error, db.file);
  }
};

const commit = (db: Database): void => {
  try {
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    const known = toSqliteError(error, db.file);
    // SQLite writes the commit frame last, so if the disk is full or the database is busy, the
    // frame was not written. After any other error (above all a failed fsync), a recovery may still
    // find the whole transaction in the write-ahead log.
    if (known instanceof SqliteError)
      known.maybeWritten = known.fault !== 'full' && known.fault !== 'busy';
    throw known;
  }
};

/**
 * Rolls back, unless the error already did. If that fails, the connection is unusable, and its next
 * statement says so.
 */
const rollBack = (db: Database): void => {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // The error that made the transaction fail is the one to report.
  }
};
