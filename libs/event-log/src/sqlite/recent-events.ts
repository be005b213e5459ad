import type { LoggedEvent } from '../event-log.js';
import type { EventRow } from './event-rows.js';
import type { LogScan } from './position-scan.js';

/** Maximum number of events that are kept, and of the characters of their text. */
const maxEvents = 2_048;
const maxLength = 2 * 1024 * 1024;

/** One step of a scan: events in order, and the position up to which no other one matches. */
export interface DecodedStep {
  readonly events: readonly LoggedEvent[];
  readonly through: number;
}

interface CachedEvent {
  readonly position: number;
  readonly event: LoggedEvent;
  readonly length: number;
}

/**
 * The events at the end of the log that were read last, without a gap. Several processors follow
 * the log over one connection at about the same time: each event is read and decoded once for all
 * of them.
 */
export class RecentEvents {
  private kept: CachedEvent[] = [];
  private length = 0;
  /** All events after this position, up to `through`, are kept. */
  private after = 0;
  private through = 0;

  constructor(private readonly decode: (row: EventRow) => LoggedEvent) {}

  /**
   * Up to `limit` events after a position, no further than `end`. `scan` reads those that are not
   * kept.
   */
  next(scan: LogScan, after: number, end: number, limit: number): DecodedStep {
    const isKept = this.after <= after && after < this.through;
    return isKept ? this.stepAfter(after, end, limit) : this.read(scan, after, end, limit);
  }

  private stepAfter(after: number, end: number, limit: number): DecodedStep {
    const first = this.indexAfter(after);
    const found = this.kept.slice(first, Math.min(this.indexAfter(end), first + limit));
    const through =
      found.length < limit ? Math.min(end, this.through) : (found.at(-1)?.position ?? after);
    return { events: found.map(({ event }) => event), through };
  }

  /**
   * Keeps what it reads, unless that is before what is kept: a reader of the log's start must
   * not displace its end.
   */
  private read(scan: LogScan, after: number, end: number, limit: number): DecodedStep {
    const { rows, through } = scan.next(after, end, limit);
    const read = rows.map((row) => ({
      position: row[0],
      event: this.decode(row),
      length: row[5].length + row[6].length,
    }));
    if (after >= this.through) this.keep(after, through, read);
    return { events: read.map(({ event }) => event), through };
  }

  private keep(after: number, through: number, read: readonly CachedEvent[]): void {
    if (after > this.through) {
      this.kept = [];
      this.length = 0;
      this.after = after;
    }
    for (const each of read) {
      this.kept.push(each);
      this.length += each.length;
    }
    this.through = through;
    this.shorten();
  }

  private shorten(): void {
    let count = 0;
    for (const { position, length } of this.kept) {
      if (this.kept.length - count <= maxEvents && this.length <= maxLength) break;
      count++;
      this.length -= length;
      this.after = position;
    }
    if (count > 0) this.kept.splice(0, count);
  }

  /** The index of the first event after a position. */
  private indexAfter(position: number): number {
    let low = 0;
    for (let high = this.kept.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.kept[middle]?.position ?? Infinity) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
