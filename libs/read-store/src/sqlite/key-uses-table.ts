import type { KeyId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import type { KeyUses } from '../read-store.js';

/** The table `key_uses`. The caller opens the transaction. */
export class KeyUsesTable {
  private readonly statements;

  constructor(db: Database) {
    this.statements = {
      record: db.prepare(
        `INSERT INTO key_uses (key_id, used_at) VALUES (?, ?)
         ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at WHERE used_at < excluded.used_at`,
      ),
      select: db.prepare<{ readonly key_id: KeyId; readonly used_at: string }>(
        'SELECT key_id, used_at FROM key_uses WHERE key_id IN (SELECT value FROM json_each(?))',
      ),
    };
  }

  record(uses: KeyUses): void {
    for (const [id, usedAt] of uses) this.statements.record.run(id, usedAt);
  }

  select(ids: readonly KeyId[]): KeyUses {
    const rows = this.statements.select.all(JSON.stringify(ids));
    return new Map(rows.map(({ key_id, used_at }) => [key_id, used_at]));
  }
}

/** Runs `work` on a connection that may be `query_only`, and leaves the connection as it was. */
export const evenIfQueryOnly = <T>(db: Database, work: () => T): T => {
  const isOn = db.prepare<{ readonly query_only: number }>('PRAGMA query_only').get()?.query_only;
  db.exec('PRAGMA query_only = OFF');
  try {
    return work();
  } finally {
    if (db.isOpen) db.exec(`PRAGMA query_only = ${isOn ?? 0}`);
  }
};
