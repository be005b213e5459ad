import { crc32 } from 'node:zlib';
import { faultsError, type DomainError } from '@refledger/contracts';

/** Where a page ended: the values of the order's fields of its last row. */
export type Place = readonly [createdAt: string, id: string];

/** A cursor is opaque and belongs to the list, filters and sort that it was made for (`scope`). */
export const encodeCursor = (place: Place, scope: readonly string[]): string =>
  Buffer.from(JSON.stringify([digest(scope), ...place])).toString('base64url');

/** Throws `validation_failed` for what is not a cursor of this list with these filters and this sort. */
export const decodeCursor = (cursor: string, scope: readonly string[]): Place => {
  const [made, createdAt, id] = parse(cursor);
  if (typeof createdAt !== 'string' || typeof id !== 'string')
    throw refused('is not a cursor of this list');
  if (made !== digest(scope))
    throw refused('belongs to other filters or another sort: begin again without it');
  return [createdAt, id];
};

/** Enough to notice a mistake; nobody is kept out by it. */
const digest = (scope: readonly string[]): number => crc32(JSON.stringify(scope));

const parse = (cursor: string): readonly unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) && value.length === 3 ? value : [];
  } catch {
    return [];
  }
};

const refused = (why: string): DomainError =>
  faultsError([{ path: 'cursor', code: 'bad_cursor', message: `cursor ${why}` }]);
