import type { Database } from './database.js';
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
