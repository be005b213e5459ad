import { boundLimit } from '@refledger/sqlite';
import type { Filter, Query } from '../read-store.js';
import type { AccessPath } from '../plan-query.js';
import { columnOf, indexOf, isThere } from './collection-table.js';
import { toColumn, type SqlValue } from './values.js';

/** A statement and the values to bind. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Builds the SELECT of a query that looks up one id, or whose filters fill the index. The SELECT
 * names the index, so that SQLite never uses another that would require a sort.
 */
export const findSql = (
  table: string,
  way: AccessPath,
  query: Query,
  selected = 'document',
): Sql => {
  const { order, after } = query;
  if (after !== undefined && after.length !== order.fields.length)
    throw new TypeError('`after` needs a value for each field of the order');
  const conditions = [isThere];
  const values: SqlValue[] = [];
  if (query.id !== undefined) {
    conditions.push('id = ?');
    values.push(query.id);
  }
  for (const filter of query.where)
    conditions.push(...condition(withoutImplied(filter, query), values));
  const columns = order.fields.map(columnOf);
  if (after !== undefined) {
    conditions.push(
      `(${columns.join(', ')}) ${order.descending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`,
    );
    values.push(...after);
  }
  const by = columns.map((column) => `${column}${order.descending ? ' DESC' : ''}`).join(', ');
  values.push(query.limit);
  return {
    text: `SELECT ${selected} FROM ${table}${way === 'id' ? '' : ` INDEXED BY ${indexOf(table, way)}`} WHERE ${conditions.join(' AND ')} ORDER BY ${by} LIMIT ${boundLimit}`,
    values,
  };
};

/**
 * Omits a range bound that the cursor already implies. Given two bounds on the same side, SQLite
 * may seek to the wider one and scan everything between them, so deeper pages would cost more.
 */
const withoutImplied = (filter: Filter, { order, after }: Query): Filter => {
  const from = after?.[0];
  if ('equals' in filter || from === undefined || filter.field !== order.fields[0]) return filter;
  return order.descending ? withoutBefore(filter, from) : withoutAfter(filter, from);
};

type Bounds = Exclude<Filter, { equals: unknown }>;

const withoutBefore = (filter: Bounds, from: string | number): Bounds => {
  const { field, after, before } = filter;
  if (before === undefined || from >= before) return filter;
  return { field, ...(after !== undefined && { after }) };
};

const withoutAfter = (filter: Bounds, from: string | number): Bounds => {
  const { field, after, before } = filter;
  if (after === undefined || from <= after) return filter;
  return { field, ...(before !== undefined && { before }) };
};

const condition = (filter: Filter, values: SqlValue[]): readonly string[] => {
  const column = columnOf(filter.field);
  if ('equals' in filter) {
    if (filter.equals === null) return [`${column} IS NULL`];
    values.push(toColumn(filter.equals, filter.field));
    return [`${column} = ?`];
  }
  const conditions: string[] = [];
  if (filter.after !== undefined) {
    conditions.push(`${column} > ?`);
    values.push(filter.after);
  }
  if (filter.before !== undefined) {
    conditions.push(`${column} < ?`);
    values.push(filter.before);
  }
  return conditions;
};
