import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { KeyStoreError } from '../key-store.js';

/** An error in the form in which it passes between threads. */
export type StoreFailure =
  | { readonly kind: KeyStoreError['kind']; readonly message: string }
  /** A programming error. */
  | { readonly kind: 'fault'; readonly error: unknown };

/** Maps an error from the database to what it means for callers of the store. */
export const failureOf = (error: unknown, file: string): StoreFailure => {
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint')
    return { kind: 'fault', error: known };
  if (known.fault === 'absent') return { kind: 'absent', message: known.message };
  if (known.fault === 'corrupt') return { kind: 'damaged', message: `${known.message}. ${advice}` };
  return { kind: known.isTransient ? 'unavailable' : 'unusable', message: known.message };
};

const advice =
  'Stop the service and restore this file from the latest backup: without it, personal data cannot be read.';

export const errorOf = (failure: StoreFailure): unknown =>
  failure.kind === 'fault' ? failure.error : new KeyStoreError(failure.kind, failure.message);
