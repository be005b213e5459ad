import type { Readable } from 'node:stream';
import { laterOf, type Position } from '@refledger/contracts';
import type { ReadContext } from '@refledger/queries';
import type { ApiResponse } from './request/call.js';

/** The `Refledger-Position` header, or no header when there is no position. */
export const positionHeader = (position: Position | undefined): Record<string, string> =>
  position === undefined ? {} : { 'refledger-position': position };

/** The response with a value that reflects a position, and that this request may have created. */
export const valueResponse = (
  body: unknown,
  position: Position | undefined,
  status: 200 | 201 = 200,
): ApiResponse => ({ status, body, headers: positionHeader(position) });

/** The headers of a response with records as they were at a position. */
export const asOfHeaders = (
  asOf: Position,
  { minPosition }: Pick<ReadContext, 'minPosition'>,
): Readonly<Record<string, string>> => ({
  ...positionHeader(laterOf(asOf, minPosition)),
  'refledger-as-of': asOf,
});

const statuses = { created: 201, started: 202, replayed: 200, changed: 200, read: 200 } as const;

/** What a request did with a record. `replayed`: an earlier request had already created it. */
export type RequestEffect = keyof typeof statuses;

/** The response to a created, started, changed or read record. */
export const recordResponse = (
  record: { readonly id: string; readonly object: string; readonly revision: number },
  position: Position | undefined,
  how: RequestEffect,
): ApiResponse => {
  const headers = positionHeader(position);
  headers['etag'] = `"${record.revision}"`;
  if (how === 'created' || how === 'started')
    headers['location'] = `/v1/${record.object.replaceAll('_', '-')}s/${record.id}`;
  if (how === 'replayed') headers['idempotent-replayed'] = 'true';
  return { status: statuses[how], body: record, headers };
};

/** The response to a request that started something, or that repeats one that did. */
export const startedResponse = (body: unknown, isRepeated: boolean): ApiResponse =>
  isRepeated
    ? { status: 200, body, headers: { 'idempotent-replayed': 'true' } }
    : { status: 202, body };

/** The response with a CSV file that is sent as it is read. */
export const csvResponse = (
  csv: Readable,
  name: string,
  position: Position | undefined,
): ApiResponse => ({
  status: 200,
  csv,
  headers: {
    ...positionHeader(position),
    'content-disposition': `attachment; filename="${name}.csv"`,
  },
});

/** The response with one page of a list. No page follows it if `nextCursor` is null. */
export const listResponse = (
  data: readonly unknown[],
  nextCursor: string | null,
  position: Position | undefined,
): ApiResponse => ({
  status: 200,
  body: { object: 'list', data, has_more: nextCursor !== null, next_cursor: nextCursor },
  headers: positionHeader(position),
});
