import type { Database, Statement } from '@refledger/sqlite';
import type { CollectionSpec } from '../read-store.js';
import { columnOf, fieldsOf } from './collection-table.js';
import type { EncodedDocument } from './encode-documents.js';

/** Saves documents into the table of a collection, past the guard of their positions. Prepared once for a table. */
export class SaveStatements {
  /** Those that an index may ask for. */
  private readonly indexed: readonly string[];
  private readonly upsert: Statement;
  private readonly insert: Statement;
  private readonly changed: Statement;
  private readonly updates = new Map<number, Update>();

  constructor(
    private readonly db: Database,
    private readonly table: string,
    collection: CollectionSpec,
  ) {
    this.indexed = ['gone', ...fieldsOf(collection).map(columnOf)];
    const columns = ['id', 'position', 'document', ...this.indexed];
    const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT (id) DO`;
    this.insert = db.prepare(`${insert} NOTHING`);
    this.upsert = db.prepare(`${insert} UPDATE SET ${columns.slice(1).map((column) => `${column} = excluded.${column}`).join(', ')} WHERE excluded.position > position`);
    this.changed = db.prepare(`SELECT ${this.indexed.map((column, n) => `((${column} IS NOT ?) << ${n})`).join(' | ')} AS changed FROM ${table} WHERE id = ? AND position < ?`);
  }

  /** For a table without indexes: one statement, which sets every column. False when the guard kept the document out. */
  save(document: EncodedDocument): boolean {
    return this.upsert.run(...document).changes > 0;
  }

  /**
   * For a table with indexes: sets only columns whose values change, since SQLite writes each index anew of which a column is set, be it to the
   * value that it has. False when the guard kept the document out.
   */
  saveIndexed(document: EncodedDocument): boolean {
    if (this.insert.run(...document).changes > 0) return true;
    const [id, position, json, ...values] = document;
    const row = this.changed.get(...values, id, position) as { readonly changed: number } | undefined;
    if (row === undefined) return false;
    const { statement, of } = this.updateOf(row.changed);
    statement.run(position, json, ...values.filter((_, n) => of.has(n)), id);
    return true;
  }

  /** The update that sets those of the indexed columns whose bits are set. */
  private updateOf(bits: number): Update {
    const known = this.updates.get(bits);
    if (known !== undefined) return known;
    const of = new Set([...this.indexed.keys()].filter((n) => Math.floor(bits / 2 ** n) % 2 === 1));
    const set = this.indexed.filter((_, n) => of.has(n)).map((column) => `, ${column} = ?`);
    const update = { statement: this.db.prepare(`UPDATE ${this.table} SET position = ?, document = ?${set.join('')} WHERE id = ?`), of };
    this.updates.set(bits, update);
    return update;
  }
}

interface Update {
  readonly statement: Statement;
  /** Which of the indexed columns it sets. */
  readonly of: ReadonlySet<number>;
}
