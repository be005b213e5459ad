import type { Database, Statement } from '@refledger/sqlite';
import type { StreamEntry, StreamIndex } from './stream-index.js';

/**
 * Puts the tail of the index into its table, in the order of the table and a slice at a time, so that no commit waits for all of it.
 * Only for the connection that writes, and within its transactions. After a failure or a crash somebody begins anew with the tail
 * as it is then; what was put there before is met again and left.
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
    /** A tail of so many events is put into the table: the longer, the more of them share a page there, and the more every connection keeps in memory. */
    private readonly longTail = 32_768,
  ) {
    this.put = db.prepare(
      'INSERT OR IGNORE INTO stream_events (stream_key, revision, position) VALUES (?, ?, ?)',
    );
    this.mark = db.prepare('UPDATE indexed SET through = max(through, ?)');
  }

  /** Goes on by at most so many events, if there is something to do. */
  step(atMost: number): void {
    if (this.entries.length === 0 && this.index.tailLength >= this.longTail) this.begin();
    this.goOn(atMost);
  }

  /** Puts all of the tail there. */
  finish(): void {
    this.goOn(Infinity);
    this.begin();
    this.goOn(Infinity);
  }

  private begin(): void {
    this.through = this.index.through;
    this.entries = this.index
      .tailEntries()
      .sort((a, b) => a.key - b.key || a.revision - b.revision);
    this.next = 0;
  }

  private goOn(atMost: number): void {
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
