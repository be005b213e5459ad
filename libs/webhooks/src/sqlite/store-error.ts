import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { DeliveryStoreError } from '../delivery-store.js';

/** Runs what touches the database, and says its errors in the words of the port. */
export const asStoreErrors = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
};

/** The error in the words of the port; one of other origin, or a mistake of the program, as it is. */
export const toStoreError = (error: unknown, file: string): unknown => {
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint') return known;
  return new DeliveryStoreError(passing.has(known.fault) ? 'unavailable' : 'unusable', known.message, { cause: known });
};

/** What may be better the next time. */
const passing: ReadonlySet<SqliteError['fault']> = new Set(['busy', 'full', 'io', 'closed']);
