import type { Checkpoint } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import { BuildGone, type Build } from '../read-store.js';
import type { BuildsTable } from './builds-table.js';
import { saveInto, tableOf } from './collection-table.js';
import type { EncodedDocument } from './encode-documents.js';
import { collectionOf } from '../index-for.js';
import { StatementCache } from './statement-cache.js';

/** Documents of one collection of a build, to be written. */
export interface EncodedCollection {
  readonly build: Build;
  readonly collection: string;
  readonly documents: readonly EncodedDocument[];
}

export interface BuildCheckpoint {
  readonly build: Build;
  readonly checkpoint: Checkpoint;
}

/** Writes documents and checkpoints past their guards, in whatever thread. Callers bring the transaction. */
export class GuardedWriter {
  private readonly statements: StatementCache;

  constructor(
    db: Database,
    private readonly table: BuildsTable,
  ) {
    this.statements = new StatementCache(db);
  }

  /** False when a guard kept a document out. Throws `BuildGone`. */
  write({ build, collection, documents }: EncodedCollection): boolean {
    const statement = this.statements.get(saveInto(tableOf(build, collection), collectionOf(this.table.collections(build), collection)));
    let isAllKept = true;
    for (const document of documents) if (statement.run(...document).changes === 0) isAllKept = false;
    return isAllKept;
  }

  /** Throws `BuildGone`. */
  raise(checkpoints: readonly BuildCheckpoint[]): void {
    for (const { build, checkpoint } of checkpoints) if (!this.table.raise(build, checkpoint)) throw new BuildGone(build);
  }
}
