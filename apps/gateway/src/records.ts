import { laterOf, type Position } from '@refledger/contracts';
import type { Loaded } from '@refledger/event-log';
import { notFound } from './http/errors/not-found.js';
import type { ApiResponse } from './http/request/call.js';

/**
 * Whether the loaded record belongs to the account. For another account's record, the response is
 * as if it did not exist.
 */
const belongsTo = (loaded: Loaded<unknown>, account: string): boolean =>
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
  (id: string, loaded: Loaded<State>, account: string): Record =>
    requireRecord(kind, id, belongsTo(loaded, account) ? recordOf(loaded.state) : undefined);

/** The `Refledger-Position` header, or no header when there is no position. */
export const positionHeader = (position: Position | undefined): Record<string, string> =>
  position === undefined ? {} : { 'refledger-position': position };

/**
 * The response to a created, changed or read record. `replayed` means that an earlier request
 * already created it.
 */
export const recordResponse = (
  record: { readonly id: string; readonly object: string; readonly revision: number },
  { position }: Pick<Loaded<unknown>, 'position'>,
  how: 'created' | 'replayed' | 'changed' | 'read',
  atLeast?: Position,
): ApiResponse => {
  const headers = positionHeader(laterOf(position, atLeast));
  headers['etag'] = `"${record.revision}"`;
  if (how === 'created') headers['location'] = `/v1/${record.object}s/${record.id}`;
  if (how === 'replayed') headers['idempotent-replayed'] = 'true';
  return { status: how === 'created' ? 201 : 200, body: record, headers };
};
