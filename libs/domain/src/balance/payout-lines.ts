import type { StoredBucket } from '@refledger/contracts';
import { inOrder, storedRange, type Buckets, type Range } from './buckets.js';

/** How many ranges one payout may have: its event must fit twice into an append of 1 MiB. */
export const maxPayoutRanges = 4_000;

/** What a payout takes from a balance. */
export interface PayoutLines {
  readonly buckets: readonly StoredBucket[];
  readonly amount: bigint;
  /** The number of entries. */
  readonly count: number;
  readonly ranges: number;
}

/** Returns everything that is payable on or before a day. */
export const linesUntil = (buckets: Buckets, until: string): PayoutLines =>
  linesOf(inOrder(buckets).filter(([day]) => day <= until));

/**
 * Returns what a partial payout takes: no more than `maxPayoutRanges`, the earliest days first and
 * within a day the greatest amounts first.
 */
export const partialLinesUntil = (buckets: Buckets, until: string): PayoutLines => {
  const taken: [string, readonly Range[]][] = [];
  let left = maxPayoutRanges;
  for (const [day, ranges] of inOrder(buckets)) {
    if (day > until || left === 0) break;
    const greatest = ranges.toSorted(byAmount).slice(0, left);
    taken.push([day, greatest.sort((a, b) => a.from - b.from)]);
    left -= greatest.length;
  }
  return linesOf(taken);
};

const byAmount = (a: Range, b: Range): number => {
  if (a.amount === b.amount) return a.from - b.from;
  return a.amount > b.amount ? -1 : 1;
};

const linesOf = (days: readonly (readonly [string, readonly Range[]])[]): PayoutLines => {
  const ranges = days.flatMap(([, own]) => own);
  return {
    buckets: days.map(([payable_on, own]) => ({ payable_on, ranges: own.map(unsealed) })),
    amount: ranges.reduce((sum, { amount }) => sum + amount, 0n),
    count: ranges.reduce((sum, { count }) => sum + count, 0),
    ranges: ranges.length,
  };
};

const unsealed = ({ sealed: _, ...range }: Range) => storedRange(range);
