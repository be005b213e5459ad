import type { Database } from './database.js';
import { SqliteError, toSqliteError } from './sqlite-error.js';

/**
 * Runs `work` in one write transaction: all of it is kept, or nothing. Throws what `work` throws, and `SqliteError`s, of which
 * one with `maybeWritten` says that the commit itself failed with an unknown outcome.
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
    // The frame that commits is written last, so a disk that was full before never got it. After anything else
    // (a failed fsync above all) a recovery may still find the whole transaction in the write-ahead log.
    if (known instanceof SqliteError)
      known.maybeWritten = known.fault !== 'full' && known.fault !== 'busy';
    throw known;
  }
};

/** Some errors roll back by themselves, and a connection that can't roll back is of no more use: its next statement says so. */
const rollBack = (db: Database): void => {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // What made the transaction fail is the error to report.
  }
};
