import { comparisonsOf, type ListSpec } from '@refledger/contracts';
import { equals } from '@refledger/queries';
import type { Filter, JsonLines, Query } from '@refledger/read-store';
import { decodeCursor, encodeCursor, type Cursor } from './cursor.js';
import {
  exclusiveBounds,
  createdBetween,
  type CreatedParameters,
  type InstantBounds,
} from './instant-bounds.js';

/** The query parameters that lists have; not every list has time bounds. */
export interface ListParameters extends CreatedParameters {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
  /** Descending if it begins with `-`, as it does by default. */
  readonly sort?: string | undefined;
  readonly completed_after?: string | undefined;
  readonly completed_before?: string | undefined;
  readonly expires_before?: string | undefined;
}

/** The fixed part of a list: its name, its filters and its default limit. */
export interface ListScope {
  /** Names the list and its account. A cursor of another list is rejected. */
  readonly name: string;
  readonly filters: readonly Filter[];
  /** Restricts the list to the record with this id, if it passes the filters. */
  readonly id?: string | undefined;
  readonly defaultLimit?: number;
  /** Default: by creation. */
  readonly order?: ListOrder;
}

export interface ListOrder {
  /** The value of `sort` that requests this order, ascending. */
  readonly sort: string;
  /** The fields of a document, with a total order. */
  readonly fields: readonly string[];
  /** The values of these fields, from what the list shows. */
  valuesOf(row: Row): readonly string[];
}

/** The fields of the listed records that an order may need. */
export interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly position?: string;
  readonly completed_at?: string | null;
  readonly expires_at?: string | null;
}

const byCreation: ListOrder = {
  sort: 'created_at',
  fields: ['created_at', 'id'],
  valuesOf: ({ created_at, id }) => [created_at, id],
};

/**
 * The query of one page, and its response. The query asks for one row more than the page has, to
 * tell whether more follow.
 */
export interface ListQuery {
  readonly query: Query;
  /** Returns the response as JSON text, from the records that the query found. */
  page(records: JsonLines): string;
  /** Returns the cursor of the page that begins after a row; null if no page follows. */
  cursorAfter(last: Row | undefined): string | null;
}

/** Keyset pagination over the order's fields, which costs the same at any depth. */
export const listQuery = (
  { limit, cursor, sort: sent, ...bounds }: ListParameters,
  { name, filters, id, defaultLimit = 25, order = byCreation }: ListScope,
): ListQuery => {
  const sort = sent ?? `-${order.sort}`;
  const size = limit === undefined ? defaultLimit : Number(limit);
  const where = [
    ...filters,
    ...timeFilters('created_at', createdBetween(bounds)),
    ...timeFilters(
      'completed_at',
      exclusiveBounds(bounds.completed_after, bounds.completed_before),
    ),
    ...timeFilters('expires_at', exclusiveBounds(undefined, bounds.expires_before)),
  ];
  const scope = [name, sort, JSON.stringify(where), ...(id === undefined ? [] : [id])];
  const cursorAfter = (row: Row): string => encodeCursor(order.valuesOf(row), scope);
  return {
    query: {
      where,
      order: { fields: order.fields, descending: sort.startsWith('-') },
      ...(cursor !== undefined && { after: decodeCursor(cursor, scope, isCursorOf(order)) }),
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
    cursorAfter: (row) => (row === undefined ? null : cursorAfter(row)),
  };
};

/** The cursor of a list: the values of its order's fields in the last row of the previous page. */
const isCursorOf =
  ({ fields }: ListOrder) =>
  (values: readonly unknown[]): values is Cursor =>
    values.length === fields.length && values.every((value) => typeof value === 'string');

/** The filters that a list's parameters ask for, within the account. */
export const filtersOf = (
  list: ListSpec,
  account_id: string,
  query: Readonly<Record<string, string | undefined>>,
): Filter[] => equals({ account_id, ...Object.fromEntries(comparisonsOf(list, query)) });

/** Filters for times between two bounds. */
const timeFilters = (field: string, { after, before }: InstantBounds): Filter[] => [
  ...(after === undefined ? [] : [{ field, after }]),
  ...(before === undefined ? [] : [{ field, before }]),
];
