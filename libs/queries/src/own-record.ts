import type { LoadedStream } from '@refledger/event-log';
import { notFound } from './not-found.js';

/**
 * Whether the loaded record belongs to the account. For another account's record, the response is
 * as if it did not exist.
 */
const belongsTo = (loaded: LoadedStream<unknown>, account: string): boolean =>
  loaded.accountId === account;

/** The record. Throws `not_found` if there is none, without revealing why. */
export const requireRecord = <T>(kind: string, id: string, record: T | undefined): T => {
  if (record === undefined) throw notFound(kind, id);
  return record;
};

/**
 * Returns a function that gives the record of a loaded stream. It throws `not_found` if there is
 * none, or if it belongs to another account.
 */
export const recordReader =
  <State, Record>(kind: string, recordOf: (state: State) => Record | undefined) =>
  (id: string, loaded: LoadedStream<State>, account: string): Record =>
    requireRecord(kind, id, belongsTo(loaded, account) ? recordOf(loaded.state) : undefined);
