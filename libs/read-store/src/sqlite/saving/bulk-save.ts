import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Build, BuildChanges, ChangedDocument, CollectionSpec } from '../../read-store.js';
import type { BulkThread } from './bulk-thread.js';
import { encodeDocuments } from '../encode-documents.js';
import type { BuildCheckpoint } from './guarded-writer.js';
import type { WriteLock } from './write-lock.js';

/** Documents per transaction of the bulk thread. Other writers wait while one runs. */
const perTransaction = 4_000;
/** Documents per message to the bulk thread. */
const perMessage = 500;
/**
 * How long this thread prepares work for the bulk thread before it yields to folding, which shares
 * this thread. With shorter slices, folding would finish before the bulk thread could start, and
 * the two would alternate instead of running in parallel.
 */
const timeSliceMs = 20;

/**
 * Saves changes on the bulk thread, in several transactions; the last one also raises the
 * checkpoints. Writes of this thread run between the transactions.
 */
export class BulkSave {
  private since = performance.now();

  constructor(
    private readonly bulk: BulkThread,
    private readonly writeLock: WriteLock,
    private readonly specOf: (build: Build, collection: string) => Promise<CollectionSpec>,
  ) {}

  /** Saves the changes, which contain `count` documents. True if all were kept. */
  async run(changes: readonly BuildChanges[], count: number): Promise<boolean> {
    for (const { build, documents } of changes)
      for (const [collection, saved] of documents) await this.gather(build, collection, saved);
    return this.commit(
      count,
      changes.map(({ build, checkpoint }) => ({ build, checkpoint })),
    );
  }

  private async gather(
    build: Build,
    collection: string,
    saved: readonly ChangedDocument[],
  ): Promise<void> {
    const spec = await this.specOf(build, collection);
    for (let from = 0; from < saved.length; from += perMessage) {
      this.bulk.gather({
        build,
        collection,
        documents: encodeDocuments(spec, saved.slice(from, from + perMessage)),
      });
      if (performance.now() - this.since < timeSliceMs) continue;
      await yieldToEventLoop();
      this.since = performance.now();
    }
  }

  private async commit(count: number, checkpoints: readonly BuildCheckpoint[]): Promise<boolean> {
    let isAllKept = true;
    for (let left = count; left > 0;) {
      const done = await this.writeLock.run(() =>
        this.bulk.call('commit', { limit: perTransaction, left, checkpoints }),
      );
      isAllKept &&= done.isAllKept;
      left = done.left;
    }
    return isAllKept;
  }
}
