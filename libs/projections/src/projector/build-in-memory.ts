import { comparePositions, type Checkpoint } from '@refledger/contracts';
import type { BuildChanges, ChangedDocument, StoredDocument } from '@refledger/read-store';
import type { DocumentKey } from '../projection.js';
import { ReadMarks, WeighedDocuments, type Folded } from './documents.js';
import type { KeptBuild } from './kept-build.js';

/** Bytes of documents that stay in memory once they are saved, in each of two generations; of a save of more, all of them. */
const keptWeight = 4 * 1024 * 1024;

/**
 * What a build's keeper has of it in memory: documents that were changed and are not saved yet, those on their way into the store, and those
 * that were used lately. A document here is the one that the events up to `folded` give, whoever else writes the build,
 * since folding depends on the log alone; unless it was loaded from a copy that was out of date, which its save tells.
 */
export class BuildInMemory {
  private changed = new WeighedDocuments<ChangedDocument>();
  private leaving = new WeighedDocuments<ChangedDocument>();
  private unchanged = new ReadMarks();
  private young = new WeighedDocuments();
  private old = new WeighedDocuments();
  /** The last event folded in. */
  folded: Checkpoint | undefined;
  /** The last event that is in the store. */
  saved: Checkpoint | undefined;

  constructor(readonly kept: KeptBuild) {
    this.folded = this.saved = kept.build.checkpoint;
  }

  /** About how many bytes wait to be saved. */
  get unsavedWeight(): number {
    return this.changed.weight;
  }

  /** With the position at which the store has it, or will once what is on its way has arrived. */
  get(key: DocumentKey): ChangedDocument | undefined {
    const unsaved = this.changed.get(key);
    if (unsaved !== undefined) return unsaved;
    const saved = this.leaving.get(key) ?? this.young.get(key) ?? this.lifted(key);
    return saved && asRead(saved);
  }

  /** What a batch has made of documents, and its last event. */
  fold({ changed, unchanged }: Folded, checkpoint: Checkpoint): void {
    this.changed.setAll(changed);
    this.unchanged.setAll(unchanged);
    if (
      this.folded === undefined ||
      comparePositions(checkpoint.position, this.folded.position) > 0
    )
      this.folded = checkpoint;
  }

  /** Everything that is not saved yet, which is now on its way; undefined when there is nothing. */
  leave(): BuildChanges | undefined {
    if (this.folded === undefined || this.folded === this.saved) return undefined;
    this.leaving = this.changed;
    this.changed = new WeighedDocuments<ChangedDocument>();
    const unchanged = this.unchanged.collections;
    this.unchanged = new ReadMarks();
    return {
      build: this.kept.build,
      documents: this.leaving.lists(),
      unchanged,
      checkpoint: this.folded,
    };
  }

  /** What has left is in the store. */
  arrived({ checkpoint }: BuildChanges): void {
    this.saved = checkpoint;
    if (this.leaving.weight < keptWeight)
      for (const [collection, documents] of this.leaving.collections)
        this.keep(collection, documents.values());
    // a generation as it is
    else [this.old, this.young] = [this.young, this.leaving];
    this.leaving = new WeighedDocuments<ChangedDocument>();
  }

  /** Documents as the store has them, which may be of use again. */
  keep(collection: string, documents: Iterable<StoredDocument>): void {
    for (const stored of documents) this.young.set(collection, stored);
    if (this.young.weight < keptWeight) return;
    this.old = this.young;
    this.young = new WeighedDocuments();
  }

  /** Forgets what was used lately: someone else writes too, and further than this. */
  forget(): void {
    this.young = new WeighedDocuments();
    this.old = new WeighedDocuments();
  }

  /** Forgets everything that is not in the store. */
  restart(): void {
    this.forget();
    this.changed = new WeighedDocuments<ChangedDocument>();
    this.leaving = new WeighedDocuments<ChangedDocument>();
    this.unchanged = new ReadMarks();
    this.folded = this.saved;
  }

  private lifted(key: DocumentKey): StoredDocument | undefined {
    const stored = this.old.get(key);
    if (stored !== undefined) this.keep(key.collection, [stored]);
    return stored;
  }
}

/** A document as it is before it changes. */
export const asRead = ({ id, position, document }: StoredDocument): ChangedDocument => ({
  id,
  readPosition: position,
  position,
  document,
});
