import type { Database, Statement } from '@refledger/sqlite';

/** The most statements kept. Statements of dropped builds would pile up without a limit. */
const limit = 500;

/** Caches prepared statements by their text. */
export class StatementCache {
  private readonly prepared = new Map<string, Statement>();

  constructor(private readonly db: Database) {}

  get(text: string): Statement {
    const known = this.prepared.get(text);
    if (known !== undefined) return known;
    if (this.prepared.size >= limit) this.prepared.clear();
    const statement = this.db.prepare(text);
    this.prepared.set(text, statement);
    return statement;
  }
}
