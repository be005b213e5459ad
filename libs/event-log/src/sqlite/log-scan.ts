import { streamPrefix } from '@refledger/contracts';
import { boundLimit, type Database } from '@refledger/sqlite';
import { eventColumns, prepareRows, readBatch, type EventRow, type EventRows } from './event-rows.js';
import { keysOfKind } from './stream-key.js';

/** One step through the log: rows in order, and the position up to which nothing else matches. */
export interface ScanStep {
  readonly rows: readonly EventRow[];
  readonly through: number;
}

/** Going through the log in one direction, in steps that are each bounded in work. */
export interface LogScan {
  /** The next step after `after`, at most up to `end`, which is beyond it. */
  next(after: number, end: number, batchSize: number): ScanStep;
  /** The step back from `end`, which is included: the last row first, and everything that matches beyond `through` is in it. */
  previous(end: number, batchSize: number): ScanStep;
}

/** A scan over the streams whose name begins with `prefix`. */
export const scanLog = (db: Database, prefix: string): LogScan => (prefix === streamPrefix ? new WholeLogScan(db) : new PrefixScan(db, prefix));

class WholeLogScan implements LogScan {
  private readonly select;
  private readonly selectBack;

  constructor(db: Database) {
    this.select = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${boundLimit}`);
    this.selectBack = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position < ? ORDER BY position DESC LIMIT ${boundLimit}`);
  }

  previous(end: number, batchSize: number): ScanStep {
    return stepBackOf(readBatch(batchSize, (last, count) => this.selectBack.all(last?.[0] ?? end + 1, count) as EventRow[]), 0);
  }

  next(after: number, end: number, batchSize: number): ScanStep {
    const batch = readBatch(batchSize, (last, count) => this.select.all(last?.[0] ?? after, end, count) as EventRow[]);
    return stepOf(batch, end);
  }
}

/** Events looked at in one step, by position. A longer way is worth a look into the index first. */
const windowSize = 5_000;
/** A kind of stream with more events than this is broad: finding its events by position is then as good. */
const narrow = 20_000;

/**
 * A prefix of a narrow kind of stream far from the end (webhook endpoints in a log of a million conversions) finds the positions of its events in the
 * index, once; one of a broad kind, and the end of the log that is not in the index yet, are read by position and filtered.
 */
class PrefixScan implements LogScan {
  private readonly matching;
  private readonly placedThrough;
  private readonly window;
  private readonly windowBack;
  private readonly one;
  private readonly range: readonly [string, string];
  private found: { readonly positions: number[]; readonly end: number } | undefined;
  private isBroad = false;

  constructor(db: Database, private readonly prefix: string) {
    this.range = [prefix, nextPrefix(prefix)];
    this.matching = prepareRows(db, `SELECT position FROM places WHERE stream_key >= ? AND stream_key < ? LIMIT ${boundLimit}`);
    this.placedThrough = prepareRows(db, 'SELECT through FROM placed');
    this.window = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position > ? AND position <= ? AND stream >= ? AND stream < ? ORDER BY position LIMIT ${boundLimit}`);
    this.windowBack = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position > ? AND position < ? AND stream >= ? AND stream < ? ORDER BY position DESC LIMIT ${boundLimit}`);
    this.one = prepareRows(db, `SELECT ${eventColumns} FROM events WHERE position = ?`);
  }

  next(after: number, end: number, batchSize: number): ScanStep {
    if (this.found === undefined && !this.isBroad && end - after > windowSize) this.look(after, end);
    if (this.found === undefined) return this.filtered(after, Math.min(end, after + windowSize), batchSize);
    return this.indexed(this.found, batchSize);
  }

  previous(end: number, batchSize: number): ScanStep {
    if (this.found === undefined && !this.isBroad && end > windowSize) this.look(0, end);
    const { found } = this;
    if (found !== undefined && end <= found.end) return this.ofPrefix(stepBackOf(this.at(batchSize, (count) => found.positions.splice(-count).reverse()), 0));
    const begin = Math.max(found?.end ?? 0, end - windowSize);
    return stepBackOf(readBatch(batchSize, (last, count) => this.windowBack.all(begin, last?.[0] ?? end + 1, ...this.range, count) as EventRow[]), begin);
  }

  private look(after: number, end: number): void {
    const keys = keysOfKind(this.prefix);
    const through = Math.min(end, (this.placedThrough.get() as readonly [number])[0]);
    if (through - after <= windowSize) return;
    const all = keys === undefined ? undefined : (this.matching.all(...keys, narrow + 1) as readonly [number][]);
    this.isBroad = all === undefined || all.length > narrow;
    if (all !== undefined && !this.isBroad) this.found = { end: through, positions: all.map(([position]) => position).filter((position) => position > after && position <= through).sort((a, b) => a - b) };
  }

  private indexed({ positions, end }: { readonly positions: number[]; readonly end: number }, batchSize: number): ScanStep {
    const batch = this.at(batchSize, (count) => positions.splice(0, count));
    if (batch.isLast) this.found = undefined;
    return this.ofPrefix(stepOf(batch, end));
  }

  private at(batchSize: number, positions: (count: number) => readonly number[]): EventRows {
    return readBatch(batchSize, (_, count) => positions(count).flatMap((position) => this.one.all(position) as EventRow[]));
  }

  /** The index knows kinds of streams, which is less than a prefix may say. */
  private ofPrefix({ rows, through }: ScanStep): ScanStep {
    return { rows: rows.filter(([, stream]) => stream.startsWith(this.prefix)), through };
  }

  private filtered(after: number, end: number, batchSize: number): ScanStep {
    const batch = readBatch(batchSize, (last, count) => this.window.all(last?.[0] ?? after, end, ...this.range, count) as EventRow[]);
    return stepOf(batch, end);
  }
}

const stepBackOf = ({ rows, isLast }: EventRows, begin: number): ScanStep => ({ rows, through: isLast ? begin : (rows.at(-1)?.[0] ?? begin + 1) - 1 });

const stepOf = ({ rows, isLast }: EventRows, end: number): ScanStep => ({ rows, through: isLast ? end : (rows.at(-1)?.[0] ?? end) });

/** The first text in the order of code points after all that begin so. */
const nextPrefix = (prefix: string): string => {
  const points = [...prefix];
  const last = points.pop()?.codePointAt(0) ?? 0;
  return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
};
