import { DomainError, laterOf, type Position } from '@refledger/contracts';
import type { Loaded } from '@refledger/event-log';
import type { Answer } from './http/call.js';

/** Whether what was loaded belongs to the account; another account's record is answered as if there were none. */
export const ofAccount = (loaded: Loaded<unknown>, account: string): boolean =>
  loaded.accountId === account;

/** The record, or 404 in words that don't tell why there is none. */
export const requireRecord = <T>(kind: string, id: string, record: T | undefined): T => {
  if (record === undefined)
    throw new DomainError('not_found', `there is no ${kind} ${JSON.stringify(id.slice(0, 100))}`);
  return record;
};

export const positionHeader = (position: Position | undefined): Record<string, string> =>
  position === undefined ? {} : { 'refledger-position': position };

/** How a single record is answered after it was created, changed or read; `replayed` is a create that had been done before. */
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
