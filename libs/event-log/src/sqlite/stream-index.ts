import type { StreamName } from '@refledger/contracts';
import { boundLimit, type Database, type Statement } from '@refledger/sqlite';
import { eventColumns, prepareRows, type EventRow } from './event-rows.js';
import { streamKey } from './stream-key.js';

/** Where an event of a stream stands. */
export interface StreamEntry {
  readonly key: number;
  readonly revision: number;
  readonly position: number;
}

/**
 * The way to a stream's events, over one connection: for most of the log by the table `places`, for its last part, the tail, in memory.
 *
 * Streams lie spread over any order of their names, so a table kept up to date would have a page rewritten for nearly every event. The writer puts
 * events into it by the ten thousand, in order (`tail-merge.ts`); every connection keeps the rest for itself, by reading the log on from where it was.
 * What `through` says is in the table stays there, so a tail that begins at or before `through`, however long ago that was read, leaves no gap.
 */
export class StreamIndex {
  /** Positions of a stream's last revisions, from `first` on. */
  private readonly tail = new Map<StreamName, { first: number; positions: number[] }>();
  private start = 0;
  private end = 0;
  private readonly later: Statement;
  private readonly indexedThrough: Statement;
  private readonly indexed: Statement;
  private readonly lastIndexed: Statement;
  private readonly one: Statement;

  constructor(
    db: Database,
    private readonly sizes: { readonly chunk: number; readonly mostTail: number } = usualSizes,
  ) {
    const indexedEvents =
      'FROM stream_events CROSS JOIN events USING (position, revision) WHERE stream_key = ? AND stream = ?';
    this.later = prepareRows(
      db,
      `SELECT position, stream, revision FROM events WHERE position > ? ORDER BY position LIMIT ${boundLimit}`,
    );
    this.indexedThrough = prepareRows(db, 'SELECT through FROM indexed');
    this.indexed = prepareRows(
      db,
      `SELECT ${eventColumns} ${indexedEvents} AND stream_events.revision BETWEEN ? AND ? ORDER BY stream_events.revision LIMIT ${boundLimit}`,
    );
    this.lastIndexed = prepareRows(
      db,
      `SELECT stream_events.revision ${indexedEvents} ORDER BY stream_events.revision DESC LIMIT 1`,
    );
    this.one = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position = ?`);
  }

  /** How many events the tail holds. */
  get tailLength(): number {
    return this.end - this.start;
  }

  /** The last position that was taken in. */
  get through(): number {
    return this.end;
  }

  /** Takes in what stands in the log by now. To be called before asking for a stream, or, by who writes, at the beginning of the transaction. */
  catchUp(): void {
    for (let isLast = false; !isLast;) {
      const rows = this.later.all(this.end, this.sizes.chunk) as readonly [
        position: number,
        stream: StreamName,
        revision: number,
      ][];
      isLast = rows.length < this.sizes.chunk;
      // after a long time, or at first, most of it is in the table already
      if (!isLast && this.skipIndexed()) continue;
      for (const row of rows) this.add(...row);
    }
    if (this.tailLength > this.sizes.mostTail) this.forget(this.readIndexedThrough());
  }

  /** Takes in the next event. */
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
    return (
      (this.lastIndexed.get(streamKey(stream), stream) as readonly [number] | undefined)?.[0] ?? -1
    );
  }

  /** Events of a stream from one revision to another, up to `limit`. */
  events(stream: StreamName, from: number, to: number, limit: number): EventRow[] {
    const { first, positions } = this.tail.get(stream) ?? { first: Infinity, positions: [] };
    const rows =
      from < first
        ? (this.indexed.all(
            streamKey(stream),
            stream,
            from,
            Math.min(to, first - 1),
            limit,
          ) as EventRow[])
        : [];
    const begin = Math.max(from - first, 0);
    const end = Math.max(Math.min(begin + limit - rows.length, to - first + 1), 0);
    for (const position of positions.slice(begin, end))
      rows.push(...(this.one.all(position) as EventRow[]));
    return rows;
  }

  /** All places of the tail, in no order. */
  tailEntries(): StreamEntry[] {
    return [...this.tail].flatMap(([stream, { first, positions }]) => {
      const key = streamKey(stream);
      return positions.map((position, index) => ({ key, revision: first + index, position }));
    });
  }

  /** Drops from the tail what the table has. */
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
    return (this.indexedThrough.get() as readonly [number])[0];
  }
}

/** Events taken in at a time; and the tail beyond which is looked what has got into the table since: twice as long as the writer lets its own become. */
const usualSizes = { chunk: 1_000, mostTail: 65_536 };
