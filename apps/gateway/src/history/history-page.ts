import type { Revisions } from '@refledger/application';
import type { Call } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';

/** The query parameters that every history has. */
export type HistoryParameters = Call<'getConversionHistory'>['query'];

/** The revisions on one page of a history, and how to show them. */
export interface HistoryPage extends Revisions {
  readonly newestFirst: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/**
 * Returns the page of a history that a request asks for. `last` is the record's last revision, and
 * `name` names the history: a cursor of another one is rejected.
 */
export const historyPage = (
  { limit = '25', cursor, sort = '-revision' }: Omit<HistoryParameters, 'include'>,
  name: string,
  last: number,
): HistoryPage => {
  const scope = [name, sort];
  const before = cursor === undefined ? undefined : decodeCursor(cursor, scope, isRevision)[0];
  const newestFirst = sort === '-revision';
  const page = newestFirst
    ? revisionsBefore(before ?? last + 1, Number(limit), last)
    : revisionsAfter(before ?? -1, Number(limit), last);
  const { from, to } = page;
  const hasMore = newestFirst ? from > 0 : to < last;
  const nextCursor = hasMore ? encodeCursor([newestFirst ? from : to], scope) : null;
  return { from, to, newestFirst, hasMore, nextCursor };
};

/** The cursor of a history: the last revision of the previous page. */
type RevisionCursor = readonly [revision: number];

const isRevision = (values: readonly unknown[]): values is RevisionCursor =>
  values.length === 1 && Number.isSafeInteger(values[0]) && Number(values[0]) >= 0;

const revisionsBefore = (revision: number, size: number, last: number): Revisions => {
  const to = Math.min(revision - 1, last);
  return { from: Math.max(0, to - size + 1), to };
};

const revisionsAfter = (revision: number, size: number, last: number): Revisions => ({
  from: revision + 1,
  to: Math.min(revision + size, last),
});
