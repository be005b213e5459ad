import { filteredBy } from '../../choose-index.js';
import { documentIn, type DocumentText } from '../../document.js';
import type { Document, Filter, JsonLines, Query } from '../../read-store.js';
import type { AccessPath } from '../../plan-query.js';
import { columnOf, indexOf, notGone } from '../collection-table.js';
import { compareText } from '../../compare-text.js';
import { findSql, IndexRange, type Sql, type IndexKey, type TableIndex } from './find-sql.js';
import type { StatementCache } from '../statement-cache.js';
import { toColumn, type SqlValue } from '../values.js';

/** Where a query looks: a table, along an access path. */
export interface Source {
  readonly statements: StatementCache;
  readonly table: string;
  readonly path: AccessPath;
}

export const findDocuments = (source: Source, query: Query): readonly Document[] => {
  const { text, values } = selectOf(source, query, 'record, internal');
  return source.statements
    .prepare<DocumentText>(text)
    .all(...values)
    .map(documentIn)
    .filter((document) => document !== undefined);
};

/**
 * Finds the records of a query as one string: fetching one row per record would cost more than
 * finding them.
 */
export const findRecords = (source: Source, query: Query): JsonLines => {
  const { text: select, values } = selectOf(source, query, 'record');
  const row = source.statements
    .prepare<{ count: number; text: string | null }>(
      `SELECT count(*) AS count, group_concat(record, char(10)) AS text FROM (${select})`,
    )
    .get(...values);
  return { count: row?.count ?? 0, text: row?.text ?? '' };
};

/**
 * A SELECT of these columns of a query's documents, in the query's order. If the query leaves a
 * low-cardinality field of the index open, each value of that field is a separate range in that
 * order, and the ranges are merged. So the cost depends on the number of values, never on the
 * number of documents.
 */
const selectOf = ({ statements, table, path }: Source, query: Query, columns: string): Sql => {
  if (path === 'id') return findSql(table, path, query, columns);
  const source: TableIndex = { statements, table, index: path };
  const ranges = rangesOf(source, query);
  const [first] = ranges;
  if (ranges.length === 1 && first !== undefined) return findSql(table, path, first, columns);
  const batchSize = Math.ceil(query.limit / ranges.length) + 2;
  const keys = merged(
    ranges.map((range) => new IndexRange(source, range, batchSize)),
    query,
  );
  return {
    text: `SELECT ${columns} FROM json_each(?) AS place CROSS JOIN ${table} AS found ON found.rowid = place.value ORDER BY place.key LIMIT -1`,
    values: [JSON.stringify(keys.map(({ row }) => row))],
  };
};

type Equality = Extract<Filter, { equals: unknown }>;

/** Splits a query into queries that each read one range of the index. */
const rangesOf = (source: TableIndex, query: Query): readonly Query[] => {
  const leading = filteredBy(source.index, query);
  if (
    leading.every((field) =>
      query.where.some((filter) => filter.field === field && 'equals' in filter),
    )
  )
    return [query];
  const equalities = new Map(
    query.where.flatMap((filter) => ('equals' in filter ? [[filter.field, filter]] : [])),
  );
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
      .prepare<{ readonly value: string | number | null }>(
        `SELECT ${column} AS value FROM ${table} INDEXED BY ${indexOf(table, index)} WHERE ${[notGone, ...filters, ...beyond].join(' AND ')} ORDER BY ${column} LIMIT 1`,
      )
      .get(...bound, ...values);
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
