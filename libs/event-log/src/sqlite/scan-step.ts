import type { EventRow, EventRows } from './event-rows.js';

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

/** A step to `end`, or as far as the rows that were read. */
export const stepOf = ({ rows, isLast }: EventRows, end: number): ScanStep => ({
  rows,
  through: isLast ? end : (rows.at(-1)?.[0] ?? end),
});

/** A step back to `begin`, or as far as the rows that were read. */
export const stepBackOf = ({ rows, isLast }: EventRows, begin: number): ScanStep => ({
  rows,
  through: isLast ? begin : (rows.at(-1)?.[0] ?? begin + 1) - 1,
});
