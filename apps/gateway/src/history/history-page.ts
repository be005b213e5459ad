import type { Revisions } from '@refledger/application';
import type { Call } from '../http/request/call.js';
import { encodeCursor, pageRequest } from '../lists/cursor.js';

/** The query parameters that every history has. */
export type HistoryParameters = Call<'getConversionHistory'>['query'];

/** The revisions on one page of a history, and how to show them. */
export interface HistoryPage extends Revisions {
  readonly newestFirst: boolean;
  /** The cursor of the next page; null if no page follows. */
  readonly nextCursor: string | null;
}

/** Where a page of a history begins. */
export interface HistoryStart {
  readonly size: number;
  readonly newestFirst: boolean;
  /** The last revision of the previous page; undefined on the first page. */
  readonly after: number | undefined;
  /** The cursor of the page after this revision. */
  readonly cursorAfter: (revision: number) => string;
}

/**
 * Returns where the page that a request asks for begins. `name` names the history: a cursor of
 * another one is rejected.
 */
export const historyStart = (
  { sort = '-revision', ...page }: Omit<HistoryParameters, 'include'>,
  name: string,
): HistoryStart => {
  const scope = [name, sort];
  const { size, after } = pageRequest(page, scope, isRevision);
  return {
    size,
    newestFirst: sort === '-revision',
    after: after?.[0],
    cursorAfter: (revision) => encodeCursor([revision], scope),
  };
};

/**
 * Returns the page of a history without gaps that a request asks for. `last` is the record's last
 * revision.
 */
export const historyPage = (
  query: Omit<HistoryParameters, 'include'>,
  name: string,
  last: number,
): HistoryPage => {
  const { size, newestFirst, after, cursorAfter } = historyStart(query, name);
  const { from, to } = newestFirst
    ? revisionsBefore(after ?? last + 1, size, last)
    : revisionsAfter(after ?? -1, size, last);
  const hasMore = newestFirst ? from > 0 : to < last;
  const nextCursor = hasMore ? cursorAfter(newestFirst ? from : to) : null;
  return { from, to, newestFirst, nextCursor };
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
