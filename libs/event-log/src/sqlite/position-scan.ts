import { readBatch, type EventRow, type EventRows } from './event-rows.js';
import type { ScanStatements } from './scan-statements.js';

/** One step of a scan: rows in order, and the position up to which no other row matches. */
export interface ScanStep {
  readonly rows: readonly EventRow[];
  readonly through: number;
}

/** Scans the log in one direction, in steps of bounded work. */
export interface LogScan {
  /** The step after `after`, no further than `end`; `end` must be greater than `after`. */
  next(after: number, end: number, batchSize: number): ScanStep;
  /**
   * The step back from `end` (included), the last row first. It has every matching row after
   * `through`.
   */
  previous(end: number, batchSize: number): ScanStep;
}

/** A step that ends at `end`, or at the last row when there may be more. */
export const stepOf = ({ rows, isLast }: EventRows, end: number): ScanStep => ({
  rows,
  through: isLast ? end : (rows.at(-1)?.[0] ?? end),
});

/** A step that ends at `begin`, or before the last row when there may be more. */
export const stepBackOf = ({ rows, isLast }: EventRows, begin: number): ScanStep => ({
  rows,
  through: isLast ? begin : (rows.at(-1)?.[0] ?? begin + 1) - 1,
});

/** Scans by position, either all streams or those whose names are in a range. */
export class PositionScan implements LogScan {
  constructor(
    private readonly statements: ScanStatements['all'],
    private readonly range: readonly [] | readonly [first: string, end: string] = [],
  ) {}

  next(after: number, end: number, batchSize: number): ScanStep {
    const batch = readBatch(batchSize, (last, count) =>
      this.statements.next.all(last?.[0] ?? after, end, ...this.range, count),
    );
    return stepOf(batch, end);
  }

  /** Goes back no further than `begin` (excluded). */
  previous(end: number, batchSize: number, begin = 0): ScanStep {
    const batch = readBatch(batchSize, (last, count) =>
      this.statements.previous.all(begin, last?.[0] ?? end + 1, ...this.range, count),
    );
    return stepBackOf(batch, begin);
  }
}
