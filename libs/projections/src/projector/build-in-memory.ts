import { comparePositions, type Checkpoint } from '@refledger/contracts';
import type { BuildChanges, ChangedDocument, StoredDocument } from '@refledger/read-store';
import type { DocumentKey } from '../projection.js';
import { ReadMarks, WeighedDocuments, type FoldResult } from './documents.js';
import type { BuildWithProjection } from './plan-builds.js';

/**
 * Bytes of saved documents that stay in memory, in each of two generations. A larger save is kept
 * in full.
 */
const keptWeight = 4 * 1024 * 1024;

/**
 * Holds in memory, for one build, the changed documents that are not saved yet, those on their way
 * into the store, and recently used ones. A document here is the result of the events up to
 * `folded`, even if others write to the build too, because folding depends on the log alone. The
 * exception is a document loaded from an outdated copy: saving it throws `StaleDocument`.
 */
export class BuildInMemory {
  private changed = new WeighedDocuments<ChangedDocument>();
  private saving = new WeighedDocuments<ChangedDocument>();
  private unchanged = new ReadMarks();
  private young = new WeighedDocuments();
  private old = new WeighedDocuments();
  /** The last event folded in. */
  folded: Checkpoint | undefined;
  /** The last event that is in the store. */
  saved: Checkpoint | undefined;

  constructor(readonly kept: BuildWithProjection) {
    this.folded = this.saved = kept.build.checkpoint;
  }

  /** The approximate number of bytes waiting to be saved. */
  get unsavedWeight(): number {
    return this.changed.weight;
  }

  /** The document, with its position in the store now or once the save in progress has ended. */
  get(key: DocumentKey): ChangedDocument | undefined {
    const unsaved = this.changed.get(key);
    if (unsaved !== undefined) return unsaved;
    const saved = this.saving.get(key) ?? this.young.get(key) ?? this.lifted(key);
    return saved && asRead(saved);
  }

  /** Takes over the documents of a folded batch, and its last event. */
  fold({ changed, unchanged }: FoldResult, checkpoint: Checkpoint): void {
    this.changed.setAll(changed);
    this.unchanged.setAll(unchanged);
    if (
      this.folded === undefined ||
      comparePositions(checkpoint.position, this.folded.position) > 0
    )
      this.folded = checkpoint;
  }

  /** Starts a save: returns all unsaved changes, or undefined if there are none. */
  beginSave(): BuildChanges | undefined {
    if (this.folded === undefined || this.folded === this.saved) return undefined;
    this.saving = this.changed;
    this.changed = new WeighedDocuments<ChangedDocument>();
    const unchanged = this.unchanged.collections;
    this.unchanged = new ReadMarks();
    return {
      build: this.kept.build,
      documents: this.saving.lists(),
      unchanged,
      checkpoint: this.folded,
    };
  }

  /** Ends a save: the store has the changes that `beginSave` returned. */
  endSave({ checkpoint }: BuildChanges): void {
    this.saved = checkpoint;
    if (this.saving.weight < keptWeight)
      for (const [collection, documents] of this.saving.collections)
        this.keep(collection, documents.values());
    // The save becomes a generation as it is.
    else [this.old, this.young] = [this.young, this.saving];
    this.saving = new WeighedDocuments<ChangedDocument>();
  }

  /** Keeps stored documents for later use. */
  keep(collection: string, documents: Iterable<StoredDocument>): void {
    for (const stored of documents) this.young.set(collection, stored);
    if (this.young.weight < keptWeight) return;
    this.old = this.young;
    this.young = new WeighedDocuments();
  }

  /** Forgets the recently used documents: another writer is ahead. */
  forget(): void {
    this.young = new WeighedDocuments();
    this.old = new WeighedDocuments();
  }

  /** Forgets everything that is not in the store, and what was recently used. */
  restart(): void {
    this.forget();
    this.changed = new WeighedDocuments<ChangedDocument>();
    this.saving = new WeighedDocuments<ChangedDocument>();
    this.unchanged = new ReadMarks();
    this.folded = this.saved;
  }

  private lifted(key: DocumentKey): StoredDocument | undefined {
    const stored = this.old.get(key);
    if (stored !== undefined) this.keep(key.collection, [stored]);
    return stored;
  }
}

/** Prepares a stored document for a change. */
export const asRead = ({ id, position, document }: StoredDocument): ChangedDocument => ({
  id,
  readPosition: position,
  position,
  document,
});
