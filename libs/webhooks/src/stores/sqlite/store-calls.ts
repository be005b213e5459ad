import type { Offset } from '@refledger/event-bus';
import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { DeliveryStoreError, ForeignOffset } from '../delivery-store.js';
import type { DeliveryFile } from './delivery-file.js';

/**
 * A call to the store's thread, by the name of a `DeliveryFile` method. Calls are answered in
 * order.
 */
export type StoreCall = {
  readonly [Method in keyof DeliveryFile]: {
    readonly method: Method;
    readonly args: Parameters<DeliveryFile[Method]>;
  };
}[keyof DeliveryFile];

/** The answer to one call, given once its change is durable. */
export type StoreAnswer = { readonly value: unknown } | { readonly failure: StoreFailure };

/** An error in the form in which it passes between threads. */
export type StoreFailure =
  | { readonly kind: DeliveryStoreError['kind']; readonly message: string }
  | { readonly kind: 'foreign offset'; readonly offset: Offset; readonly stored: Offset }
  /** An error in the program itself. */
  | { readonly kind: 'fault'; readonly error: unknown };

/** The first message of the thread. */
export type StoreReport =
  | { readonly kind: 'opened'; readonly id: string }
  | { readonly kind: 'refused'; readonly failure: StoreFailure };
/** A message to the thread. */
export type StoreOrder =
  { readonly kind: 'call'; readonly call: StoreCall } | { readonly kind: 'close' };

/** Maps an error of the database to what it means for callers of the store. */
export const failureOf = (error: unknown, file: string): StoreFailure => {
  if (error instanceof ForeignOffset)
    return { kind: 'foreign offset', offset: error.offset, stored: error.stored };
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint')
    return { kind: 'fault', error: known };
  return { kind: passing.has(known.fault) ? 'unavailable' : 'unusable', message: known.message };
};

/** The error to throw for a failure. */
export const errorOf = (failure: StoreFailure): unknown => {
  switch (failure.kind) {
    case 'unavailable':
    case 'unusable':
      return new DeliveryStoreError(failure.kind, failure.message);
    case 'foreign offset':
      return new ForeignOffset(failure.offset, failure.stored);
    case 'fault':
      return failure.error;
  }
};

/** Errors that may be gone at the next attempt. */
const passing: ReadonlySet<SqliteError['fault']> = new Set(['busy', 'full', 'io', 'closed']);
