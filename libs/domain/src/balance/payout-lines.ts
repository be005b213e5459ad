import type { StoredBucket } from '@refledger/contracts';
import { inOrder, maxRangeAmount, storedRange, type Buckets, type Range } from './buckets.js';

/** How many ranges one payout may have: its event must fit twice into an append of 1 MiB. */
export const maxPayoutRanges = 4_000;

/** The lines that a payout takes from a balance. */
export interface PayoutLines {
  readonly buckets: readonly StoredBucket[];
  readonly amount: bigint;
  readonly count: number;
  readonly ranges: number;
}

/** Returns everything that is payable on or before a day. */
export const linesUntil = (buckets: Buckets, until: string): PayoutLines =>
  linesOf(inOrder(buckets).filter(([day]) => day <= until));

/**
 * Returns what a partial payout takes: as many ranges as fit, the earliest days first and within a
 * day the greatest amounts first. These are at most `maxPayoutRanges`, and add up to at most
 * `maxRangeAmount`.
 */
export const partialLinesUntil = (buckets: Buckets, until: string): PayoutLines => {
  const days = inOrder(buckets).filter(([day]) => day <= until);
  const ranges = days.flatMap(([, own]) => own.toSorted(byAmount)).slice(0, maxPayoutRanges);
  const taken = new Set(ranges.slice(0, fitting(ranges)));
  return linesOf(
    days
      .map(([day, own]) => [day, own.filter((range) => taken.has(range))] as const)
      .filter(([, own]) => own.length > 0),
  );
};

/**
 * How many of the ranges fit, from the first one on. A debt counts as soon as it is reached, so
 * what fits is more than 0 if all of it is too much for one payout.
 */
const fitting = (ranges: readonly Range[]): number => {
  let [sum, count] = [0n, 0];
  for (const [index, { amount }] of ranges.entries()) {
    sum += amount;
    if (sum <= maxRangeAmount) count = index + 1;
  }
  return count;
};

const byAmount = (a: Range, b: Range): number => {
  if (a.amount === b.amount) return a.from - b.from;
  return a.amount > b.amount ? -1 : 1;
};

const linesOf = (days: readonly (readonly [string, readonly Range[]])[]): PayoutLines => {
  const ranges = days.flatMap(([, own]) => own);
  return {
    buckets: days.map(([payable_on, own]) => ({ payable_on, ranges: own.map(withoutClosed) })),
    amount: ranges.reduce((sum, { amount }) => sum + amount, 0n),
    count: ranges.reduce((sum, { count }) => sum + count, 0),
    ranges: ranges.length,
  };
};

const withoutClosed = ({ closed: _, ...range }: Range) => storedRange(range);
