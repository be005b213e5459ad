import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Build, BuildChanges, ChangedDocument, CollectionSpec } from '../read-store.js';
import type { BulkThread } from './bulk-thread.js';
import { encodeDocuments } from './encode-documents.js';
import type { BuildCheckpoint } from './guarded-writer.js';
import type { WriteLock } from './write-lock.js';

/** Documents of one transaction of the bulk thread: whoever else writes waits for it. */
const perTransaction = 4_000;
/** Documents that go to it together. */
const perMessage = 500;
/** So long its work is prepared in one go. Folding, which shares this thread, goes on in between: with shorter slices it would be over before that thread can begin, and they would take turns. */
const timeSliceMs = 20;

/** One save that the bulk thread does, in several transactions, the checkpoints with the last of them; everything of this thread gets its turn in between. */
export class BulkSave {
  private since = performance.now();

  constructor(
    private readonly bulk: BulkThread,
    private readonly turns: WriteLock,
    private readonly specOf: (build: Build, collection: string) => Promise<CollectionSpec>,
  ) {}

  /** `count` documents are in the changes. Answers whether all were kept. */
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
        kind: 'gather',
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
      const done = await this.turns.run(() =>
        this.bulk.order({ kind: 'commit', most: perTransaction, left, checkpoints }),
      );
      isAllKept &&= done.isAllKept;
      left = done.left;
    }
    return isAllKept;
  }
}
