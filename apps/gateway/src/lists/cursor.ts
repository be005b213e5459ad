import { crc32 } from 'node:zlib';
import { validationError, type DomainError } from '@refledger/contracts';

/** The last row on a page, by the values of the fields that order it. */
export type Cursor = readonly (string | number)[];

/**
 * Encodes a cursor. It is opaque, and valid only for the list, filters and sort (`scope`) that it
 * was made for.
 */
export const encodeCursor = (cursor: Cursor, scope: readonly string[]): string =>
  Buffer.from(JSON.stringify([digest(scope), ...cursor])).toString('base64url');

/**
 * Decodes a cursor. Throws `validation_failed` unless it was made for this list with these filters
 * and this sort, and holds what `isCursor` accepts.
 */
export const decodeCursor = <C extends Cursor>(
  cursor: string,
  scope: readonly string[],
  isCursor: (values: readonly unknown[]) => values is C,
  /** Where it was sent. */
  path = 'cursor',
): C => {
  const [made, ...values] = parse(cursor);
  if (!isCursor(values))
    throw refused(
      path,
      'is not a cursor for this list. Send the next_cursor of the previous page, or omit it.',
    );
  if (made !== digest(scope))
    throw refused(
      path,
      'belongs to another list, other filters or another sort. Start again without it.',
    );
  return values;
};

/**
 * The page that a request asks for: how many rows, and the row after which it begins. Throws like
 * `decodeCursor`.
 */
export const pageRequest = <C extends Cursor>(
  { limit = '25', cursor }: Readonly<Partial<Record<'limit' | 'cursor', string | undefined>>>,
  scope: readonly string[],
  isCursor: (values: readonly unknown[]) => values is C,
): { readonly size: number; readonly after: C | undefined } => ({
  size: Number(limit),
  after: cursor === undefined ? undefined : decodeCursor(cursor, scope, isCursor),
});

/** The cursor of the page after a row; null if no page follows. */
export const cursorAfter = (last: Cursor | undefined, scope: readonly string[]): string | null =>
  last === undefined ? null : encodeCursor(last, scope);

/** Detects mistakes; it is not a security measure. */
const digest = (scope: readonly string[]): number => crc32(JSON.stringify(scope));

const parse = (cursor: string): readonly unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

const refused = (path: string, why: string): DomainError =>
  validationError({ path, code: 'bad_cursor', message: `cursor ${why}` });
