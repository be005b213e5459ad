import type { Checkpoint } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import {
  BuildNotFoundError,
  StaleDocument,
  type Build,
  type BuildChanges,
} from '../../read-store.js';
import type { BuildsTable } from '../builds-table.js';
import { tableOf } from '../collection-table.js';
import type { EncodedDocument } from '../encode-documents.js';
import { collectionOf } from '../../plan-query.js';
import { SaveStatements } from './save-statements.js';

/** Documents to be written to one collection of a build. */
export interface EncodedCollection {
  readonly build: Build;
  readonly collection: string;
  readonly documents: readonly EncodedDocument[];
}

/** The checkpoint that a build is to be raised to. */
export interface BuildCheckpoint {
  readonly build: Build;
  readonly checkpoint: Checkpoint;
}

/**
 * Writes documents and checkpoints through their guards, in any thread. The caller opens the
 * transaction.
 */
export class GuardedWriter {
  private readonly statements = new Map<string, SaveStatements>();

  constructor(
    private readonly db: Database,
    private readonly table: BuildsTable,
  ) {}

  /**
   * Throws `StaleDocument` unless every unchanged document is stored as it was read, and
   * `BuildNotFoundError`.
   */
  check({ build, unchanged }: BuildChanges): void {
    for (const [collection, read] of unchanged ?? []) {
      const statements = this.statementsOf(build, collection);
      for (const [id, position] of read) {
        if (!statements.isAt(id, position)) throw new StaleDocument(build, collection, id);
      }
    }
  }

  /**
   * False if a stored document is already at its new position or later, and is left unchanged.
   * Throws `StaleDocument` and `BuildNotFoundError`.
   */
  write({ build, collection, documents }: EncodedCollection): boolean {
    const statements = this.statementsOf(build, collection);
    let isAllKept = true;
    for (const document of documents) {
      const saved =
        build.state === 'building' ? statements.save(document) : statements.saveIndexed(document);
      if (saved === 'stale') throw new StaleDocument(build, collection, document[0]);
      isAllKept &&= saved === 'written';
    }
    return isAllKept;
  }

  /** Raises the checkpoints. Throws `BuildNotFoundError`. */
  raise(checkpoints: readonly BuildCheckpoint[]): void {
    for (const { build, checkpoint } of checkpoints)
      if (!this.table.raise(build, checkpoint)) throw new BuildNotFoundError(build);
  }

  private statementsOf(build: Build, collection: string): SaveStatements {
    const table = tableOf(build, collection);
    const known = this.statements.get(table);
    if (known !== undefined) return known;
    // Statements of dropped builds would pile up otherwise.
    if (this.statements.size >= maxStatements) this.statements.clear();
    const statements = new SaveStatements(
      this.db,
      table,
      collectionOf(this.table.collections(build), collection),
    );
    this.statements.set(table, statements);
    return statements;
  }
}

/** The maximum number of tables whose statements are kept. */
const maxStatements = 50;
