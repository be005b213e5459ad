import type { ChapterRevision } from '@refledger/domain';
import type { PageRequest } from '@refledger/queries';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';

/**
 * The page that a request asks for. Throws `validation_failed` for a cursor that was not made for
 * `scope`.
 */
export const pageRequest = (
  { limit, cursor }: { readonly limit?: string | undefined; readonly cursor?: string | undefined },
  scope: readonly string[],
): PageRequest => {
  const size = limit === undefined ? 25 : Number(limit);
  if (cursor === undefined) return { size, after: undefined };
  const [chapter, revision] = decodeCursor(cursor, scope, isChapterRevision);
  return { size, after: { chapter, revision } };
};

/** Returns the cursor of the page after the event of a line; null if no page follows. */
export const cursorAfter = (
  last: ChapterRevision | undefined,
  scope: readonly string[],
): string | null =>
  last === undefined ? null : encodeCursor([last.chapter, last.revision], scope);

/** The cursor: where the event of the last line of the previous page is. */
const isChapterRevision = (values: readonly unknown[]): values is readonly [number, number] =>
  values.length === 2 && values.every((value) => Number.isSafeInteger(value));
