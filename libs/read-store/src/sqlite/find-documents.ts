import { filteredBy } from '../choose-index.js';
import type { Filter, IndexSpec, JsonLines, Query } from '../read-store.js';
import type { AccessPath } from '../plan-query.js';
import { columnOf, indexOf, isThere } from './collection-table.js';
import { compareText } from './compare-text.js';
import { findSql, type Sql } from './find-sql.js';
import { IndexRange, type IndexKey, type TableIndex } from './index-range.js';
import type { StatementCache } from './statement-cache.js';
import { toColumn, type SqlValue } from './values.js';

/**
 * Finds the documents of a query along its access path. If the query leaves a few-valued field of
 * the index open, each value of that field is a separate range in the query's order, and the ranges
 * are merged. So the cost depends on the number of values, never on the number of documents.
 */
export const findDocuments = (
  statements: StatementCache,
  table: string,
  way: AccessPath,
  query: Query,
): JsonLines =>
  way === 'id'
    ? linesFound(statements, findSql(table, way, query))
    : findByIndex(statements, table, way, query);

const findByIndex = (
  statements: StatementCache,
  table: string,
  index: IndexSpec,
  query: Query,
): JsonLines => {
  const [only, ...others] = rangesOf(statements, table, index, query);
  if (only === undefined) return { count: 0, text: '' };
  if (others.length === 0) return linesFound(statements, findSql(table, index, only));
  const atOnce = Math.ceil(query.limit / (others.length + 1)) + 2;
  const source: TableIndex = { statements, table, index };
  const keys = merged(
    [only, ...others].map((range) => new IndexRange(source, range, atOnce)),
    query,
  );
  const sorted = `SELECT document FROM json_each(?) AS place CROSS JOIN ${table} AS found ON found.rowid = place.value ORDER BY place.key LIMIT -1`;
  return linesFound(statements, {
    text: sorted,
    values: [JSON.stringify(keys.map(({ row }) => row))],
  });
};

/**
 * Reads the documents of a SELECT with a limit as one text, in its order: fetching one row per
 * document would cost more than finding them.
 */
const linesFound = (statements: StatementCache, { text: select, values }: Sql): JsonLines => {
  const row: unknown = statements
    .get(`SELECT count(*) AS count, group_concat(document, char(10)) AS text FROM (${select})`)
    .get(...values);
  const { count, text } = row as { count: number; text: string | null };
  return { count, text: text ?? '' };
};

type Equality = Extract<Filter, { equals: unknown }>;

/** Splits a query into queries that each read one range of the index. */
const rangesOf = (
  statements: StatementCache,
  table: string,
  index: IndexSpec,
  query: Query,
): readonly Query[] => {
  const leading = filteredBy(index, query);
  if (
    leading.every((field) =>
      query.where.some((filter) => filter.field === field && 'equals' in filter),
    )
  )
    return [query];
  const equalities = new Map(
    query.where.flatMap((filter) => ('equals' in filter ? [[filter.field, filter]] : [])),
  );
  const source: TableIndex = { statements, table, index };
  let prefixes: readonly (readonly Equality[])[] = [[]];
  for (const field of leading) {
    const filter = equalities.get(field);
    prefixes = prefixes.flatMap((prefix) =>
      (filter === undefined ? valuesOf(source, prefix, field) : [filter.equals]).map((equals) => [
        ...prefix,
        { field, equals },
      ]),
    );
  }
  const others = query.where.filter(
    (filter) => !('equals' in filter && leading.includes(filter.field)),
  );
  return prefixes.map((prefix) => ({ ...query, where: [...prefix, ...others] }));
};

/** Finds the values of the field that follows the prefix in the index, with one seek per value. */
const valuesOf = (
  { statements, table, index }: TableIndex,
  prefix: readonly Equality[],
  field: string,
): readonly Equality['equals'][] => {
  const column = columnOf(field);
  const bound = prefix.flatMap(({ field: name, equals }): SqlValue[] =>
    equals === null ? [] : [toColumn(equals, name)],
  );
  const filters = prefix.map(
    ({ field: name, equals }) => `${columnOf(name)} ${equals === null ? 'IS NULL' : '= ?'}`,
  );
  const next = (beyond: readonly string[], ...values: SqlValue[]) =>
    statements
      .get(
        `SELECT ${column} AS value FROM ${table} INDEXED BY ${indexOf(table, index)} WHERE ${[isThere, ...filters, ...beyond].join(' AND ')} ORDER BY ${column} LIMIT 1`,
      )
      .get(...bound, ...values) as { readonly value: string | number | null } | undefined;
  const values: (string | number | null)[] = [];
  for (
    let step = next([]);
    step !== undefined;
    step =
      step.value === null ? next([`${column} IS NOT NULL`]) : next([`${column} > ?`], step.value)
  )
    values.push(step.value);
  return values;
};

/** The first keys of all ranges together, in the query's order. */
const merged = (ranges: readonly IndexRange[], { order, limit }: Query): readonly IndexKey[] => {
  const keys: IndexKey[] = [];
  while (keys.length < limit) {
    let first: { readonly key: IndexKey; readonly of: IndexRange } | undefined;
    for (const range of ranges) {
      const key = range.peek();
      if (key !== undefined && (first === undefined || comesBefore(key, first.key, order)))
        first = { key, of: range };
    }
    if (first === undefined) break;
    first.of.take();
    keys.push(first.key);
  }
  return keys;
};

const comesBefore = (a: IndexKey, b: IndexKey, { fields, descending }: Query['order']): boolean => {
  for (const i of fields.keys()) {
    const order = compareValues(a[`k${i}`], b[`k${i}`]);
    if (order !== 0) return descending ? order > 0 : order < 0;
  }
  return false;
};

/** Compares as SQLite does: null, then numbers, then text. */
const compareValues = (
  a: string | number | null | undefined,
  b: string | number | null | undefined,
): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return kindOf(a) - kindOf(b);
};

const kindOf = (value: string | number | null | undefined): number =>
  typeof value === 'string' ? 2 : typeof value === 'number' ? 1 : 0;
