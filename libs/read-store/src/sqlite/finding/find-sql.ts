import { boundLimit } from '@refledger/sqlite';
import type { AccessPath } from '../../plan-query.js';
import type { Filter, IndexSpec, Query } from '../../read-store.js';
import {
  columnOf as indexedColumnOf,
  indexOf,
  notGone,
  textsTableOf,
} from '../collection-table.js';
import type { StatementCache } from '../statement-cache.js';
import { toColumn, type SqlValue } from '../values.js';

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
  path: AccessPath,
  query: Query,
  selected = 'record',
): Sql => {
  const { order, after } = query;
  if (after !== undefined && after.length !== order.fields.length)
    throw new TypeError('`after` needs a value for each field of the order');
  const { from, columnOf } = sourceOf(table, path);
  const conditions = [notGone];
  const values: SqlValue[] = [];
  if (query.id !== undefined) {
    conditions.push('id = ?');
    values.push(query.id);
  }
  for (const filter of query.where)
    conditions.push(...condition(withoutImplied(filter, query), columnOf(filter.field), values));
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
    text: `SELECT ${selected} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${by} LIMIT ${boundLimit}`,
    values,
  };
};

/**
 * What a query reads: one table, or the rows of a multikey field with the document of each. Then
 * the fields of the index are columns of these rows, so that SQLite reads them in the query's order.
 */
const sourceOf = (table: string, path: AccessPath) => {
  if (path === 'id') return { from: table, columnOf: indexedColumnOf };
  const by = `INDEXED BY ${indexOf(table, path)}`;
  const { fields, multikey } = path;
  if (multikey === undefined) return { from: `${table} ${by}`, columnOf: indexedColumnOf };
  return {
    from: `${textsTableOf(table, multikey)} AS entry ${by} CROSS JOIN ${table} AS found ON found.id = entry.id`,
    columnOf: (field: string) =>
      `${fields.includes(field) ? 'entry' : 'found'}.${indexedColumnOf(field)}`,
  };
};

/**
 * Omits a range bound that the cursor already implies. Given two bounds on the same side, SQLite
 * may seek to the wider one and scan everything between them, so deeper pages would cost more.
 */
const withoutImplied = (filter: Filter, { order, after }: Query): Filter => {
  const from = after?.[0];
  if ('equals' in filter || from === undefined || filter.field !== order.fields[0]) return filter;
  const { after: low, ...withoutAfter } = filter;
  const { before: high, ...withoutBefore } = filter;
  if (order.descending) return high !== undefined && from < high ? withoutBefore : filter;
  return low !== undefined && from > low ? withoutAfter : filter;
};

const condition = (filter: Filter, column: string, values: SqlValue[]): readonly string[] => {
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

/** An entry of an index: the document's rowid and the values that it is ordered by. */
export interface IndexKey {
  readonly row: number;
  readonly [key: `k${number}`]: string | number;
}

/** An index of a table, with the statements that read it. */
export interface TableIndex {
  readonly statements: StatementCache;
  readonly table: string;
  readonly index: IndexSpec;
}

/**
 * One range of an index in a query's order. Reads a few rows at a time, because a merge may need
 * only the first ones.
 */
export class IndexRange {
  private keys: readonly IndexKey[] = [];
  private next = 0;
  private last: IndexKey | undefined;
  private isOver = false;

  constructor(
    private readonly source: TableIndex,
    private readonly query: Query,
    private batchSize: number,
  ) {}

  /** The next key; undefined at the end of the range. */
  peek(): IndexKey | undefined {
    if (this.next === this.keys.length && !this.isOver) this.read();
    return this.keys[this.next];
  }

  take(): void {
    this.last = this.keys[this.next++];
  }

  private read(): void {
    const { statements, table, index } = this.source;
    const { fields } = this.query.order;
    const columns = fields.map((field, i) => `${indexedColumnOf(field)} AS k${i}`).join(', ');
    const after =
      this.last === undefined ? this.query.after : fields.map((_, i) => valueOf(this.last, i));
    const { text, values } = findSql(
      table,
      index,
      { ...this.query, ...(after && { after }), limit: this.batchSize },
      `rowid AS row, ${columns}`,
    );
    this.keys = statements.prepare<IndexKey>(text).all(...values);
    this.next = 0;
    this.isOver = this.keys.length < this.batchSize;
    this.batchSize *= 2;
  }
}

const valueOf = (key: IndexKey | undefined, i: number): string | number => key?.[`k${i}`] ?? '';
