import type { LoadedStream } from '@refledger/event-log';
import { DomainError, type Position } from '@refledger/contracts';

/** The error for a record that does not exist, or that the caller must not know about. */
export const notFound = (kind: string, id: string): DomainError =>
  new DomainError(
    'not_found',
    `There is no ${kind} ${JSON.stringify(id.slice(0, 100))}. Check the id.`,
  );

/**
 * The error for a record of the caller's account that did not exist yet at this position. An
 * undefined position is before the beginning of the log.
 */
export const notFoundAt = (kind: string, id: string, position: Position | undefined): DomainError =>
  new DomainError(
    'not_found',
    `There was no ${kind} ${JSON.stringify(id)} ${position === undefined ? 'before the event log started' : `yet at position ${position}`}. Send a later as_of.`,
  );

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
