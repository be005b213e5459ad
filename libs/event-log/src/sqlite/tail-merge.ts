import type { Database, Statement } from '@refledger/sqlite';
import type { StreamEntry, StreamIndex } from './stream-index.js';

/**
 * Merges the index's tail into its table, in the table's order and in slices, so that no commit
 * waits for the whole tail. Only for the connection that writes, within its transactions. After a
 * failure or a crash the merge starts again with the tail as it is then, and ignores rows that are
 * already in the table.
 */
export class TailMerge {
  private entries: readonly StreamEntry[] = [];
  private through = 0;
  private next = 0;
  private readonly put: Statement;
  private readonly mark: Statement;

  constructor(
    db: Database,
    private readonly index: StreamIndex,
    /**
     * A tail of this many events is merged into the table. With a longer tail, more entries share a
     * page of the table, but every connection keeps more in memory.
     */
    private readonly longTail = 32_768,
  ) {
    this.put = db.prepare(
      'INSERT OR IGNORE INTO stream_events (stream_key, revision, position) VALUES (?, ?, ?)',
    );
    this.mark = db.prepare('UPDATE indexed SET through = max(through, ?)');
  }

  /** Merges up to `atMost` more events, if there is something to merge. */
  step(atMost: number): void {
    if (this.entries.length === 0 && this.index.tailLength >= this.longTail) this.start();
    this.continueMerge(atMost);
  }

  /** Merges the whole tail. */
  finish(): void {
    this.continueMerge(Infinity);
    this.start();
    this.continueMerge(Infinity);
  }

  private start(): void {
    this.through = this.index.lastPosition;
    this.entries = this.index
      .tailEntries()
      .sort((a, b) => a.key - b.key || a.revision - b.revision);
    this.next = 0;
  }

  private continueMerge(atMost: number): void {
    if (this.entries.length === 0) return;
    const slice = this.entries.slice(this.next, this.next + atMost);
    for (const { key, revision, position } of slice) this.put.run(key, revision, position);
    this.next += slice.length;
    if (this.next < this.entries.length) return;
    this.mark.run(this.through);
    this.index.forget(this.through);
    this.entries = [];
  }
}
