import { comparisonsOf, type ListSpec } from '@refledger/contracts';
import type { Filter, JsonLines, Query } from '@refledger/read-store';
import type { Call } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from './cursor.js';

/** The query parameters that every list has. */
export type ListParameters = Call<'listAccounts'>['query'];

/** The fixed part of a list: its name, its filters and its default limit. */
export interface ListScope {
  /** Names the list and its account. A cursor of another list is rejected. */
  readonly name: string;
  readonly filters: readonly Filter[];
  /** Restricts the list to the record with this id, if it passes the filters. */
  readonly id?: string | undefined;
  readonly defaultLimit?: number;
}

/** The fields that every listed record has. */
export interface Row {
  readonly id: string;
  readonly created_at: string;
}

/**
 * The query of one page, and its response. The query asks for one row more than the page has, to
 * tell whether more follow.
 */
export interface ListQuery {
  readonly query: Query;
  /** Returns the response as JSON text, from the records that the query found. */
  page(records: JsonLines): string;
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
      ...(cursor !== undefined && { after: decodeCursor(cursor, scope, isRowCursor) }),
      limit: size + 1,
      ...(id !== undefined && { id }),
    },
    page: ({ count, text }) => {
      const more = count > size;
      const data = more ? text.slice(0, text.lastIndexOf('\n')) : text;
      const cursor = more
        ? `"${cursorAfter(JSON.parse(data.slice(data.lastIndexOf('\n') + 1)) as Row)}"`
        : 'null';
      return `{"object":"list","data":[${data.replaceAll('\n', ',')}],"has_more":${more},"next_cursor":${cursor}}`;
    },
  };
};

/** The cursor of a list: the last row of the previous page. */
type RowCursor = readonly [createdAt: string, id: string];

const isRowCursor = (values: readonly unknown[]): values is RowCursor =>
  values.length === 2 && values.every((value) => typeof value === 'string');

/** The filters that a list's parameters ask for, within the account. */
export const filtersOf = (
  list: ListSpec,
  account_id: string,
  query: Readonly<Record<string, string | undefined>>,
): Filter[] => equals({ account_id, ...Object.fromEntries(comparisonsOf(list, query)) });

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
 * A UTC offset can move an instant out of the years 0 to 9999. Instants outside those years do not
 * sort chronologically as text, and no row has one.
 */
const withinYears = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, earliest), latest)).toISOString();
const [earliest, latest] = [
  Date.parse('0000-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
];
