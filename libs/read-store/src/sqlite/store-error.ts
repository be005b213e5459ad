import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { ReadStoreError } from '../read-store.js';

/** Runs work on the database and translates its errors into those of the port. */
export const asStoreErrors = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
};

/** Translates an error of the database into one of the port. Returns any other error unchanged. */
export const toStoreError = (error: unknown, file: string): unknown => {
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint')
    return known;
  if (known.fault === 'too_big')
    return new ReadStoreError('unstorable', known.message, { cause: known });
  const advice =
    known.fault === 'corrupt'
      ? '. Stop the service, delete this file with its -wal and -shm, and start the service, which builds the read models again from the log.'
      : '';
  return new ReadStoreError(
    known.isTransient ? 'unavailable' : 'unusable',
    `${known.message}${advice}`,
    { cause: known },
  );
};
