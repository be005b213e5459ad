import type { Database } from '@refledger/sqlite';
import type { BuildsTable, StoredBuild } from './builds-table.js';
import type { StatementCache } from './statement-cache.js';

/**
 * All reads of one turn of the event loop see one instant: the first begins a transaction, which ends with the turn, or before a write or a look
 * for what is new. So what costs the same for every instant is paid once, however many requests come in with a turn.
 */
export class TickSnapshot {
  private builds: Map<string, readonly StoredBuild[]> | undefined;

  constructor(
    private readonly db: Database,
    private readonly statements: StatementCache,
    private readonly table: BuildsTable,
  ) {}

  read<T>(work: () => T): T {
    this.begin();
    return work();
  }

  /** The builds of a projection, oldest first; only within `read`. */
  buildsOf(projection: string): readonly StoredBuild[] {
    const known = this.builds?.get(projection);
    if (known !== undefined) return known;
    const builds = this.table.ofProjection(projection);
    this.builds?.set(projection, builds);
    return builds;
  }

  end(): void {
    if (this.builds === undefined) return;
    this.builds = undefined;
    // a statement that failed may have ended the transaction, and whoever asked has heard of it
    if (this.db.isTransaction) this.statements.get('COMMIT').run();
  }

  private begin(): void {
    if (this.builds !== undefined) return;
    this.statements.get('BEGIN').run();
    this.builds = new Map();
    setImmediate(() => this.end());
  }
}
