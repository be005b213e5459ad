import type { EventRow, EventRows } from './event-rows.js';

/** One step of a scan: rows in order, and the position up to which no other row matches. */
export interface ScanStep {
  readonly rows: readonly EventRow[];
  readonly through: number;
}

/** Scans the log in one direction, in steps of bounded work. */
export interface LogScan {
  /** The step after `after`, up to `end` at most; `end` must be greater than `after`. */
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
