import type { Database } from '@refledger/sqlite';
import type { StoredBuild } from '../../readable-build.js';
import type { BuildsTable } from '../builds-table.js';
import type { StatementCache } from '../statement-cache.js';

/**
 * Gives all reads of one event-loop tick the same instant. The first read starts a transaction; it
 * ends with the tick, or earlier, before a write or a look at newer data. So the fixed cost of a
 * transaction is paid once per tick, however many requests arrive in it.
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
    // A failed statement may have ended the transaction; its caller already got the error.
    if (this.db.isTransaction) this.statements.prepare('COMMIT').run();
  }

  private begin(): void {
    if (this.builds !== undefined) return;
    this.statements.prepare('BEGIN').run();
    this.builds = new Map();
    setImmediate(() => this.end());
  }
}
