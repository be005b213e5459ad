import type { Database } from '@refledger/sqlite';
import type { MultikeyIndex } from '../../projection-spec.js';
import { columnOf, textsTableOf } from '../collection-table.js';
import type { SqlValue } from '../values.js';

/** The prepared statements that replace the rows of a document in the table of a multikey field. */
export class MultikeyRows {
  private readonly stored;
  private readonly remove;
  private readonly insert;

  constructor(
    db: Database,
    table: string,
    private readonly index: MultikeyIndex,
    /** The indexed fields, in the order of their values. */
    private readonly fields: readonly string[],
  ) {
    const rows = textsTableOf(table, index.multikey);
    const columns = index.fields.map(columnOf).join(', ');
    this.stored = db.prepare<Readonly<Record<string, SqlValue>>>(
      `SELECT ${columns} FROM ${rows} WHERE id = ?`,
    );
    this.remove = db.prepare(`DELETE FROM ${rows} WHERE id = ?`);
    this.insert = db.prepare(
      `INSERT INTO ${rows} (id, ${columns}) VALUES (?, ${index.fields.map(() => '?').join(', ')})`,
    );
  }

  /** Most changes of a document leave its rows as they are: then this writes nothing. */
  replace(id: string, texts: readonly string[], values: readonly SqlValue[]): void {
    const rows = texts.map((text) => this.rowOf(text, values));
    const stored = new Set(this.stored.all(id).map((row) => JSON.stringify(Object.values(row))));
    if (stored.size === rows.length && rows.every((row) => stored.has(JSON.stringify(row)))) return;
    if (stored.size > 0) this.remove.run(id);
    for (const row of rows) this.insert.run(id, ...row);
  }

  private rowOf(text: string, values: readonly SqlValue[]): readonly SqlValue[] {
    const { fields, multikey } = this.index;
    return fields.map((field) =>
      field === multikey ? text : (values[this.fields.indexOf(field)] ?? null),
    );
  }
}
