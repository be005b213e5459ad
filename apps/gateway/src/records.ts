import { DomainError, laterOf, type Position } from '@refledger/contracts';
import type { Loaded } from '@refledger/event-log';
import type { Answer } from './http/call.js';

/**
 * Whether the loaded record belongs to the account. Another account's record is answered as if it
 * did not exist.
 */
export const ofAccount = (loaded: Loaded<unknown>, account: string): boolean =>
  loaded.accountId === account;

/** The record. Throws `not_found` if there is none, without revealing why. */
export const requireRecord = <T>(kind: string, id: string, record: T | undefined): T => {
  if (record === undefined)
    throw new DomainError(
      'not_found',
      `There is no ${kind} ${JSON.stringify(id.slice(0, 100))}. Check the id.`,
    );
  return record;
};

/** The `Refledger-Position` header, or no header when there is no position. */
export const positionHeader = (position: Position | undefined): Record<string, string> =>
  position === undefined ? {} : { 'refledger-position': position };

/** The answer to a created, changed or read record. `replayed` is a create that was done before. */
export const recordAnswer = (
  record: { readonly id: string; readonly object: string; readonly revision: number },
  { position }: Pick<Loaded<unknown>, 'position'>,
  how: 'created' | 'replayed' | 'changed' | 'read',
  atLeast?: Position,
): Answer => {
  const headers = positionHeader(laterOf(position, atLeast));
  headers['etag'] = `"${record.revision}"`;
  if (how === 'created') headers['location'] = `/v1/${record.object}s/${record.id}`;
  if (how === 'replayed') headers['idempotent-replayed'] = 'true';
  return { status: how === 'created' ? 201 : 200, body: record, headers };
};
