import type { Offset } from '@refledger/event-bus';
import { SqliteError, toSqliteError } from '@refledger/sqlite';
import { DeliveryStoreError } from '../delivery-store.js';
import { ForeignOffset } from '../planner-store.js';

/** An error in the form in which it passes between threads. */
export type StoreFailure =
  | { readonly kind: DeliveryStoreError['kind']; readonly message: string }
  | { readonly kind: 'foreign offset'; readonly offset: Offset; readonly stored: Offset }
  /** A programming error. */
  | { readonly kind: 'fault'; readonly error: unknown };

/** Maps an error from the database to what it means for callers of the store. */
export const failureOf = (error: unknown, file: string): StoreFailure => {
  if (error instanceof ForeignOffset)
    return { kind: 'foreign offset', offset: error.offset, stored: error.stored };
  const known = toSqliteError(error, file);
  if (!(known instanceof SqliteError) || known.fault === 'other' || known.fault === 'constraint')
    return { kind: 'fault', error: known };
  if (isLost(known)) return { kind: 'damaged', message: `${known.message}. ${advice}` };
  return { kind: known.isTransient ? 'unavailable' : 'unusable', message: known.message };
};

/** Whether the deliveries in the file are gone, in whole or in part. */
const isLost = ({ fault }: SqliteError): boolean => fault === 'corrupt';

const advice =
  'Stop the service, move this file with its -wal and -shm out of the data directory, and start the service. It then asks where the webhook-dispatcher continues: ops resume webhook-dispatcher --from start|head|<position>';

export const errorOf = (failure: StoreFailure): unknown => {
  switch (failure.kind) {
    case 'unavailable':
    case 'unusable':
    case 'damaged':
      return new DeliveryStoreError(failure.kind, failure.message);
    case 'foreign offset':
      return new ForeignOffset(failure.offset, failure.stored);
    case 'fault':
      return failure.error;
  }
};
