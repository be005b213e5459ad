import { streamPrefix } from '@refledger/contracts';
import { readBatch, type EventRows } from './event-rows.js';
import { PositionScan, stepBackOf, stepOf, type LogScan, type ScanStep } from './position-scan.js';
import type { ScanStatements } from './scan-statements.js';
import { keysOfKind } from './stream-key.js';

/**
 * Number of positions that one step by position covers. For a longer distance the index is
 * considered first.
 */
const windowSize = 5_000;

interface PrefixScanSizes {
  /**
   * Number of positions read from the index per page. It bounds the memory; each page costs one
   * skip the index entries of the kind.
   */
  readonly page: number;
}

/** Scans the streams whose names start with `prefix`. */
export const scanLog = (
  statements: ScanStatements,
  prefix: string,
  sizes: PrefixScanSizes = { page: 65_536 },
): LogScan =>
  prefix === streamPrefix
    ? new PositionScan(statements.all)
    : new PrefixScan(statements, prefix, sizes);

/**
 * Positions found in the index: all of the kind up to `end`, in the order of the scan. Those before
 * index `next` were already taken.
 */
interface Page {
  readonly positions: readonly number[];
  readonly end: number;
  next: number;
}

/**
 * Scans the streams of a prefix. It takes the positions of the prefix's events from the index, page
 * by page, where this is less work than reading the log by position (webhook endpoints in a log of
 * ten million conversions). Otherwise, and where the index does not yet cover the end of the log,
 * it reads events by position and filters them. So the number of events of the prefix's kind bounds
 * the work, whatever else the log holds.
 */
class PrefixScan implements LogScan {
  private readonly byPosition: PositionScan;
  private readonly keys: readonly [number, number] | undefined;
  private found: Page | undefined;
  /**
   * Whether to use the index, and the position up to which this holds (down to it when scanning
   * back).
   */
  private accessPath: { readonly isNarrow: boolean; readonly until: number } | undefined;

  constructor(
    private readonly statements: ScanStatements,
    private readonly prefix: string,
    private readonly sizes: PrefixScanSizes,
  ) {
    this.byPosition = new PositionScan(statements.inRange, [prefix, nextPrefix(prefix)]);
    this.keys = keysOfKind(prefix);
  }

  next(after: number, end: number, batchSize: number): ScanStep {
    if (this.found === undefined && end - after > windowSize)
      this.found = this.lookAhead(after, end);
    if (this.found === undefined)
      return this.byPosition.next(after, Math.min(end, after + windowSize), batchSize);
    const { end: pageEnd } = this.found;
    return this.ofPrefix(stepOf(this.take(this.found, batchSize), pageEnd));
  }

  previous(end: number, batchSize: number): ScanStep {
    if (this.found === undefined && end > windowSize) this.found = this.lookBack(end);
    if (this.found === undefined)
      return this.byPosition.previous(end, batchSize, Math.max(0, end - windowSize));
    const { end: pageEnd } = this.found;
    return this.ofPrefix(stepBackOf(this.take(this.found, batchSize), pageEnd));
  }

  private lookAhead(after: number, end: number): Page | undefined {
    if (this.accessPath === undefined || after >= this.accessPath.until) {
      const through = Math.min(end, this.readIndexedThrough());
      if (through - after <= windowSize) return undefined;
      this.accessPath = { isNarrow: this.isNarrow(through - after), until: through };
    }
    const { isNarrow, until } = this.accessPath;
    return isNarrow
      ? this.page(
          (keys, page) => this.statements.following.all(...keys, after, until, page),
          (last) => last ?? until,
        )
      : undefined;
  }

  private lookBack(end: number): Page | undefined {
    if (this.accessPath === undefined) {
      // first read, by position, the part that the index may lack
      if (end > this.readIndexedThrough()) return undefined;
      this.accessPath = { isNarrow: this.isNarrow(end), until: 0 };
    }
    return this.accessPath.isNarrow
      ? this.page(
          (keys, page) => this.statements.preceding.all(...keys, end, page),
          (last) => (last === undefined ? 0 : last - 1),
        )
      : undefined;
  }

  /**
   * `endOf` returns where a page ends: at its last position, or at the end of the scan when the
   * page is not full.
   */
  private page(
    read: (keys: readonly [number, number], page: number) => readonly (readonly [number])[],
    endOf: (last: number | undefined) => number,
  ): Page | undefined {
    if (this.keys === undefined) return undefined;
    const positions = read(this.keys, this.sizes.page).map(([position]) => position);
    return {
      positions,
      next: 0,
      end: endOf(positions.length < this.sizes.page ? undefined : positions.at(-1)),
    };
  }

  /**
   * Whether the index is less work than reading this many events by position. An event found
   * through the index costs as much as four that are skipped, plus a tenth of one for each
   * page, because every page goes over all entries.
   */
  private isNarrow(length: number): boolean {
    if (this.keys === undefined) return false;
    const limit = Math.floor(length / 4);
    const [count] = this.statements.count.get(...this.keys, limit + 1) ?? [0];
    return count * (4 + count / this.sizes.page / 10) <= length;
  }

  private take(page: Page, batchSize: number): EventRows {
    const isBack = (page.positions.at(-1) ?? 0) < (page.positions[0] ?? 0);
    const batch = readBatch(batchSize, (_, count) => {
      const positions = page.positions.slice(page.next, page.next + count);
      page.next += positions.length;
      const rows = this.statements.at.all(JSON.stringify(positions));
      return isBack ? rows.reverse() : rows;
    });
    if (page.next >= page.positions.length) this.found = undefined;
    return { ...batch, isLast: page.next >= page.positions.length };
  }

  /** Filters by the whole prefix: the index knows only kinds of streams. */
  private ofPrefix({ rows, through }: ScanStep): ScanStep {
    return { rows: rows.filter(([, stream]) => stream.startsWith(this.prefix)), through };
  }

  private readIndexedThrough(): number {
    return this.statements.indexedThrough.get()?.[0] ?? 0;
  }
}

/** The first string, in code point order, after all strings with this prefix. */
const nextPrefix = (prefix: string): string => {
  const points = [...prefix];
  const last = points.pop()?.codePointAt(0) ?? 0;
  return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
};
