import type { Position } from '@refledger/contracts';
import type { Database, Statement } from '@refledger/sqlite';
import type { CollectionSpec } from '../../read-store.js';
import { columnOf, fieldsOf } from '../collection-table.js';
import { multikeyIndexOf } from '../../projection-spec.js';
import { MultikeyRows } from './multikey-rows.js';
import type { EncodedDocument } from '../encode-documents.js';
import type { SqlValue } from '../values.js';

/**
 * The outcome for a document: `written`; `left`, because the stored one has this position or a
 * later one; or `stale`, because it was not made from the stored document.
 */
export type SaveOutcome = 'written' | 'left' | 'stale';

/** The prepared statements that save documents into one table, guarded by their positions. */
export class SaveStatements {
  /** The columns that an index may contain. */
  private readonly indexed: readonly string[];
  private readonly insert;
  private readonly replace;
  private readonly changed;
  private readonly lateness;
  private readonly position;
  private readonly multikey: MultikeyRows | undefined;
  private readonly updates = new Map<number, Update>();

  constructor(
    private readonly db: Database,
    private readonly table: string,
    collection: CollectionSpec,
  ) {
    const index = multikeyIndexOf(collection);
    this.multikey = index && new MultikeyRows(db, table, index, fieldsOf(collection));
    this.indexed = ['gone', ...fieldsOf(collection).map(columnOf)];
    const columns = ['id', 'position', 'record', 'internal', ...this.indexed];
    this.insert = db.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`,
    );
    this.replace = db.prepare(
      `UPDATE ${table} SET ${columns
        .slice(1)
        .map((column) => `${column} = ?`)
        .join(', ')} WHERE id = ? AND position = ?`,
    );
    this.position = db.prepare<{ readonly position: string }>(
      `SELECT CAST(position AS TEXT) AS position FROM ${table} WHERE id = ?`,
    );
    this.lateness = db.prepare<{ readonly is_as_late: number }>(
      `SELECT position >= ? AS is_as_late FROM ${table} WHERE id = ?`,
    );
    this.changed = db.prepare<{ readonly changed: number }>(
      `SELECT ${this.indexed.map((column, n) => `((${column} IS NOT ?) << ${n})`).join(' | ')} AS changed FROM ${table} WHERE id = ? AND position = ?`,
    );
  }

  /** Saves into a table without indexes: one statement sets every column. */
  save([id, read, texts, position, ...values]: EncodedDocument): SaveOutcome {
    const isWritten =
      read === null
        ? this.isInserted(id, position, values)
        : read < position && this.replace.run(position, ...values, id, read).changes > 0;
    if (!isWritten) return this.left(id, position);
    this.multikey?.replace(id, texts, values.slice(3));
    return 'written';
  }

  /**
   * Saves into a table with indexes. Sets only the columns whose values change, because SQLite
   * rewrites every index of a column that is set, even to the same value.
   */
  saveIndexed(document: EncodedDocument): SaveOutcome {
    const [id, read, texts, position, record, internal, ...values] = document;
    if (read === null) return this.save(document);
    const row = read < position ? this.changed.get(...values, id, read) : undefined;
    if (row === undefined) return this.left(id, position);
    const { statement, of } = this.updateOf(row.changed);
    statement.run(position, record, internal, ...values.filter((_, n) => of.has(n)), id);
    this.multikey?.replace(id, texts, values.slice(1));
    return 'written';
  }

  /** Whether the document is stored as it was read, or is missing as it was. */
  isAt(id: string, read: Position | undefined): boolean {
    return this.position.get(id)?.position === read;
  }

  private isInserted(id: string, position: number | bigint, values: readonly SqlValue[]): boolean {
    return this.insert.run(id, position, ...values).changes > 0;
  }

  private left(id: string, position: number | bigint): 'left' | 'stale' {
    return this.lateness.get(position, id)?.is_as_late === 1 ? 'left' : 'stale';
  }

  /** The update that sets exactly the indexed columns whose bits are set. */
  private updateOf(bits: number): Update {
    const known = this.updates.get(bits);
    if (known !== undefined) return known;
    const of = new Set([...this.indexed.keys()].filter((n) => Math.floor(bits / 2 ** n) % 2 === 1));
    const set = this.indexed.filter((_, n) => of.has(n)).map((column) => `, ${column} = ?`);
    const update = {
      statement: this.db.prepare(
        `UPDATE ${this.table} SET position = ?, record = ?, internal = ?${set.join('')} WHERE id = ?`,
      ),
      of,
    };
    this.updates.set(bits, update);
    return update;
  }
}

interface Update {
  readonly statement: Statement;
  /** The indexed columns that the statement sets. */
  readonly of: ReadonlySet<number>;
}
