import type { Offset } from '@refledger/event-bus';
import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { DeliveryStoreError, ForeignOffset } from '../delivery-store.js';
import type { DeliveryFile } from './delivery-file.js';

/** What the store asks of its thread, by the name of a method of `DeliveryFile`. Calls are answered in their order. */
export type StoreCall = {
  readonly [Method in keyof DeliveryFile]: {
    readonly method: Method;
    readonly args: Parameters<DeliveryFile[Method]>;
  };
}[keyof DeliveryFile];

/** The answer to one call, once what it did is durable. */
export type StoreAnswer = { readonly value: unknown } | { readonly failure: StoreFailure };

/** An error as it goes from one thread to the other. */
export type StoreFailure =
  | { readonly kind: DeliveryStoreError['kind']; readonly message: string }
  | { readonly kind: 'foreign offset'; readonly offset: Offset; readonly stored: Offset }
  /** A mistake of the program. */
  | { readonly kind: 'fault'; readonly error: unknown };

/** What the thread says first. */
export type StoreReport =
  | { readonly kind: 'opened'; readonly id: string }
  | { readonly kind: 'refused'; readonly failure: StoreFailure };
/** What its owner tells it. */
export type StoreOrder =
  { readonly kind: 'call'; readonly call: StoreCall } | { readonly kind: 'close' };

/** What an error of the database means to users of the store. */
export const failureOf = (error: unknown, file: string): StoreFailure => {
  if (error instanceof ForeignOffset)
    return { kind: 'foreign offset', offset: error.offset, stored: error.stored };
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint')
    return { kind: 'fault', error: known };
  return { kind: passing.has(known.fault) ? 'unavailable' : 'unusable', message: known.message };
};

/** The error to throw. */
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

/** What may be better the next time. */
const passing: ReadonlySet<SqliteError['fault']> = new Set(['busy', 'full', 'io', 'closed']);
