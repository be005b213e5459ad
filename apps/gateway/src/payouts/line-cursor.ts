import type { EntryRecord, PayoutId } from '@refledger/contracts';
import type { Line } from '@refledger/queries';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';

/**
 * The page of a payout's lines that a request asks for. Throws `validation_failed` for the cursor of
 * another payout.
 */
export const linesRequest = (
  { limit, cursor }: { readonly limit?: string | undefined; readonly cursor?: string | undefined },
  payout: PayoutId,
): { readonly after: Line | undefined; readonly size: number } => ({
  after: cursor === undefined ? undefined : decodeCursor(cursor, scopeOf(payout), isLine),
  size: limit === undefined ? 25 : Number(limit),
});

/** Returns the cursor of the page after a line; null if no page follows. */
export const cursorAfter = (last: EntryRecord | undefined, payout: PayoutId): string | null =>
  last === undefined ? null : encodeCursor([last.payable_on, last.number], scopeOf(payout));

const scopeOf = (payout: PayoutId): readonly string[] => ['payout_entries', payout];

/** The cursor: the day and the number of the last line of the previous page. */
const isLine = (values: readonly unknown[]): values is Line =>
  values.length === 2 && typeof values[0] === 'string' && Number.isSafeInteger(values[1]);
