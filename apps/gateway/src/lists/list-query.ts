import type { Filter, JsonLines, Query } from '@refledger/read-store';
import { decodeCursor, encodeCursor } from './cursor.js';

/** The query parameters that every list has. */
export interface ListParameters {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
  readonly sort?: 'created_at' | '-created_at' | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** The fixed part of a list: its name, its filters and its default limit. */
export interface ListScope {
  /** Names the list and its account. A cursor of another list is rejected. */
  readonly name: string;
  readonly filters: readonly Filter[];
  /** Restricts the list to the record with this id. */
  readonly id?: string;
  readonly defaultLimit?: number;
}

/** The fields that every listed record has. */
export interface Row {
  readonly id: string;
  readonly created_at: string;
}

/**
 * The query of one page, and its answer. The query asks for one row more than the page has, to tell
 * whether more follow.
 */
export interface ListQuery {
  readonly query: Query;
  page<T extends Row>(
    rows: readonly T[],
  ): { object: 'list'; data: T[]; has_more: boolean; next_cursor: string | null };
  /**
   * Builds the same page as JSON text. `rows` has one text per line; `toRecords` turns it into the
   * texts of records, separated by commas.
   */
  pageJson(rows: JsonLines, toRecords: (rows: string) => string): string;
}

/** Keyset pagination over (`created_at`, `id`), which costs the same at any depth. */
export const listQuery = (
  {
    limit,
    cursor,
    sort = '-created_at',
    created_after: after,
    created_before: before,
  }: ListParameters,
  { name, filters, id, defaultLimit = 25 }: ListScope,
): ListQuery => {
  const size = limit === undefined ? defaultLimit : Number(limit);
  const where = [
    ...filters,
    ...(after === undefined ? [] : [{ field: 'created_at', after: floorInstant(after) }]),
    ...(before === undefined ? [] : [{ field: 'created_at', before: ceilInstant(before) }]),
  ];
  const scope = [name, sort, JSON.stringify(where), ...(id === undefined ? [] : [id])];
  const cursorAfter = ({ created_at, id }: Row): string => encodeCursor([created_at, id], scope);
  return {
    query: {
      where,
      order: { fields: ['created_at', 'id'], descending: sort === '-created_at' },
      ...(cursor !== undefined && { after: decodeCursor(cursor, scope) }),
      limit: size + 1,
      ...(id !== undefined && { id }),
    },
    page: (rows) => {
      const data = rows.slice(0, size);
      const last = data.at(-1);
      const more = rows.length > size && last !== undefined;
      return { object: 'list', data, has_more: more, next_cursor: more ? cursorAfter(last) : null };
    },
    pageJson: ({ count, text }, toRecords) => {
      const more = count > size;
      const data = more ? text.slice(0, text.lastIndexOf('\n')) : text;
      const cursor = more
        ? `"${cursorAfter(JSON.parse(data.slice(data.lastIndexOf('\n') + 1)) as Row)}"`
        : 'null';
      return `{"object":"list","data":[${count === 0 ? '' : toRecords(data)}],"has_more":${more},"next_cursor":${cursor}}`;
    },
  };
};

/** Filters for equality with each given value. */
export const equals = (fields: Readonly<Record<string, string | undefined>>): Filter[] =>
  Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, equals: value }],
  );

/**
 * Rows have a precision of one millisecond, so a finer bound is rounded down (`after`) or up
 * (`before`) without changing which rows it excludes.
 */
const floorInstant = (instant: string): string => withinYears(Date.parse(instant));
const ceilInstant = (instant: string): string =>
  withinYears(Date.parse(instant) + (/\.\d{3}\d*[1-9]/.test(instant) ? 1 : 0));

/**
 * A UTC offset can move an instant out of the years 0 to 9999, where the order of the texts is no
 * longer the order in time. No row is there.
 */
const withinYears = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, earliest), latest)).toISOString();
const [earliest, latest] = [
  Date.parse('0000-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
];
