import type { IndexSpec, Query } from '../read-store.js';
import { columnOf } from './collection-table.js';
import { findSql } from './find-sql.js';
import type { StatementCache } from './statement-cache.js';

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
    private atOnce: number,
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
    const columns = fields.map((field, i) => `${columnOf(field)} AS k${i}`).join(', ');
    const after =
      this.last === undefined ? this.query.after : fields.map((_, i) => valueOf(this.last, i));
    const { text, values } = findSql(
      table,
      index,
      { ...this.query, ...(after && { after }), limit: this.atOnce },
      `rowid AS row, ${columns}`,
    );
    const keys: unknown = statements.get(text).all(...values);
    this.keys = keys as readonly IndexKey[];
    this.next = 0;
    this.isOver = this.keys.length < this.atOnce;
    this.atOnce *= 2;
  }
}

const valueOf = (key: IndexKey | undefined, i: number): string | number => key?.[`k${i}`] ?? '';
