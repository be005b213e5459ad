import type { StreamName } from '@refledger/contracts';
import { boundLimit, type Database } from '@refledger/sqlite';
import { eventColumns, prepareRows, type EventRow } from './event-rows.js';
import { streamKey } from './stream-key.js';

/** The revision and the position of one event of a stream. */
export interface StreamEntry {
  readonly key: number;
  readonly revision: number;
  readonly position: number;
}

/**
 * Finds a stream's events over one connection: most of them through the table `stream_events`, and
 * those in the last part of the log, the tail, in memory.
 *
 * Streams that change together have names that are far apart in any order, so keeping the table up
 * to date would rewrite a page for nearly every event. The writer instead merges tens of thousands
 * of events into it at a time, in its order (`tail-merge.ts`); every connection keeps the rest in
 * memory by following the log from its last position. Events up to `through` stay in the table, so
 * a tail that starts at or before any `through` ever read leaves no gap.
 */
export class StreamIndex {
  /** Positions of each stream's last revisions, from revision `first` on. */
  private readonly tail = new Map<StreamName, { first: number; positions: number[] }>();
  private start = 0;
  private end = 0;
  private readonly later;
  private readonly indexedThrough;
  private readonly indexed;
  private readonly lastIndexed;
  private readonly one;

  constructor(
    db: Database,
    private readonly sizes: { readonly chunk: number; readonly maxTailLength: number } = usualSizes,
  ) {
    const indexedEvents =
      'FROM stream_events CROSS JOIN events USING (position, revision) WHERE stream_key = ? AND stream = ?';
    this.later = prepareRows<readonly [position: number, stream: StreamName, revision: number]>(
      db,
      `SELECT position, stream, revision FROM events WHERE position > ? ORDER BY position LIMIT ${boundLimit}`,
    );
    this.indexedThrough = prepareRows<readonly [number]>(db, 'SELECT through FROM indexed');
    this.indexed = prepareRows<EventRow>(
      db,
      `SELECT ${eventColumns} ${indexedEvents} AND stream_events.revision BETWEEN ? AND ? ORDER BY stream_events.revision LIMIT ${boundLimit}`,
    );
    this.lastIndexed = prepareRows<readonly [number]>(
      db,
      `SELECT stream_events.revision ${indexedEvents} ORDER BY stream_events.revision DESC LIMIT 1`,
    );
    this.one = prepareRows<EventRow>(db, `SELECT ${eventColumns} FROM events WHERE position = ?`);
  }

  /** Number of events in the tail. */
  get tailLength(): number {
    return this.end - this.start;
  }

  /** The last position that was read. */
  get lastPosition(): number {
    return this.end;
  }

  /**
   * Reads the events that were added to the log. Call it before asking for a stream; a writer calls
   * it at the start of its transaction.
   */
  catchUp(): void {
    for (let isLast = false; !isLast;) {
      const rows = this.later.all(this.end, this.sizes.chunk);
      isLast = rows.length < this.sizes.chunk;
      // on the first call, or after a long time, the table has most of these events already
      if (!isLast && this.skipIndexed()) continue;
      for (const row of rows) this.add(...row);
    }
    if (this.tailLength > this.sizes.maxTailLength) this.forget(this.readIndexedThrough());
  }

  /** Adds the next event. */
  add(position: number, stream: StreamName, revision: number): void {
    const known = this.tail.get(stream);
    if (known === undefined) this.tail.set(stream, { first: revision, positions: [position] });
    else known.positions.push(position);
    this.end = position;
  }

  /** The last revision of a stream; -1 when there is no such stream. */
  lastRevision(stream: StreamName): number {
    const known = this.tail.get(stream);
    if (known !== undefined) return known.first + known.positions.length - 1;
    return this.lastIndexed.get(streamKey(stream), stream)?.[0] ?? -1;
  }

  /** Up to `limit` events of a stream, from one revision to another (both included). */
  events(stream: StreamName, from: number, to: number, limit: number): EventRow[] {
    const { first, positions } = this.tail.get(stream) ?? { first: Infinity, positions: [] };
    const rows =
      from < first
        ? this.indexed.all(streamKey(stream), stream, from, Math.min(to, first - 1), limit)
        : [];
    const begin = Math.max(from - first, 0);
    const end = Math.max(Math.min(begin + limit - rows.length, to - first + 1), 0);
    for (const position of positions.slice(begin, end)) rows.push(...this.one.all(position));
    return rows;
  }

  /** All entries of the tail, in no particular order. */
  tailEntries(): StreamEntry[] {
    return [...this.tail].flatMap(([stream, { first, positions }]) => {
      const key = streamKey(stream);
      return positions.map((position, index) => ({ key, revision: first + index, position }));
    });
  }

  /** Drops the events up to this position, which are in the table, from the tail. */
  forget(through: number): void {
    if (through <= this.start) return;
    this.start = through;
    for (const [stream, known] of this.tail) {
      const count = known.positions.findIndex((position) => position > through);
      if (count === -1) this.tail.delete(stream);
      else if (count > 0) {
        known.first += count;
        known.positions.splice(0, count);
      }
    }
  }

  private skipIndexed(): boolean {
    const through = this.readIndexedThrough();
    if (through <= this.end) return false;
    this.tail.clear();
    this.start = this.end = through;
    return true;
  }

  private readIndexedThrough(): number {
    return this.indexedThrough.get()?.[0] ?? 0;
  }
}

/**
 * `chunk`: events read per query. `maxTailLength`: a connection with a longer tail checks what has
 * been merged into the table since; it is twice the length at which the writer merges its own tail.
 */
const usualSizes = { chunk: 1_000, maxTailLength: 65_536 };
