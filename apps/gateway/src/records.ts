import { laterOf, type Position } from '@refledger/contracts';
import type { Loaded } from '@refledger/event-log';
import type { ApiResponse } from './http/request/call.js';

export { recordReader, requireRecord } from '@refledger/queries';

/** The `Refledger-Position` header, or no header when there is no position. */
export const positionHeader = (position: Position | undefined): Record<string, string> =>
  position === undefined ? {} : { 'refledger-position': position };

/** What a request did with a record. `replayed`: an earlier request had already created it. */
type How = 'created' | 'started' | 'replayed' | 'changed' | 'read';

const statuses = { created: 201, started: 202, replayed: 200, changed: 200, read: 200 } as const;

/** The response to a created, started, changed or read record. */
export const recordResponse = (
  record: { readonly id: string; readonly object: string; readonly revision: number },
  { position }: Pick<Loaded<unknown>, 'position'>,
  how: How,
  atLeast?: Position,
): ApiResponse => {
  const headers = positionHeader(laterOf(position, atLeast));
  headers['etag'] = `"${record.revision}"`;
  if (how === 'created' || how === 'started')
    headers['location'] = `/v1/${record.object.replaceAll('_', '-')}s/${record.id}`;
  if (how === 'replayed') headers['idempotent-replayed'] = 'true';
  return { status: statuses[how], body: record, headers };
};
