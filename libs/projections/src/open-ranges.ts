import type { StoredBucket } from '@refledger/contracts';
import { isRangeAmount } from '@refledger/domain';
import { plus } from './figures.js';
import type { OpenSums } from './open-sums.js';

/**
 * The ranges of the open entries by day, as far as the sums of the days do not say it: a day
 * without a member has one range, whose sum is that of the day and not 0.
 */
export type OpenRanges = Readonly<Record<string, DayRanges>>;

interface DayRanges {
  readonly count: number;
  /** The sum of the last range; null if it is sealed, so that the next entry starts another one. */
  readonly last: string | null;
}

/** The open ranges before an entry is added, or a payout takes or returns ranges. */
interface Open {
  readonly sums: OpenSums;
  readonly ranges: OpenRanges;
}

/** Returns the ranges after another entry, by the rule of a balance's own fold. */
export const withRange = (open: Open, day: string, amount: number): OpenRanges => {
  const { count, last } = rangesOf(open, day);
  // nearly every sum is so short that adding an amount to it cannot make it too large
  const isExtended =
    last !== null && (last.length <= 15 || isRangeAmount(BigInt(last) + BigInt(amount)));
  const after = isExtended
    ? { count, last: plus(last, amount) }
    : { count: count + 1, last: String(amount) };
  return withDay(open.ranges, day, after);
};

/** Returns the ranges without those that a payout takes. */
export const withoutRanges = (open: Open, taken: readonly StoredBucket[]): OpenRanges =>
  withMoved(open, taken, -1);

/** Returns the ranges with those that a payout returns. */
export const withReturnedRanges = (open: Open, returned: readonly StoredBucket[]): OpenRanges =>
  withMoved(open, returned, 1);

/** Returns how many ranges the open entries of each day are in, in order. */
export const countRanges = (
  days: readonly (readonly [day: string, sum: bigint])[],
  ranges: OpenRanges,
): (readonly [day: string, count: number])[] =>
  [
    ...days.flatMap(([day]) => (day in ranges ? [] : [[day, 1] as const])),
    ...Object.entries(ranges).map(([day, { count }]) => [day, count] as const),
  ].sort(([a], [b]) => (a < b ? -1 : 1));

/** A day is sealed once a payout takes or returns ranges of it. */
const withMoved = (open: Open, moved: readonly StoredBucket[], sign: 1 | -1): OpenRanges =>
  moved.reduce((all, { payable_on, ranges }) => {
    const count = rangesOf(open, payable_on).count + sign * ranges.length;
    return withDay(all, payable_on, { count, last: null });
  }, open.ranges);

const rangesOf = ({ sums, ranges }: Open, day: string): DayRanges => {
  const sum = sums[day.slice(0, '2026-11'.length)]?.[day.slice('2026-11-'.length)];
  return ranges[day] ?? (sum === undefined ? none : { count: 1, last: sum });
};

const none: DayRanges = { count: 0, last: null };

/** A single range that is not sealed needs no member while the day has a sum. */
const withDay = (ranges: OpenRanges, day: string, { count, last }: DayRanges): OpenRanges => {
  const isSaidBySum = count === 0 || (count === 1 && last !== null && last !== '0');
  if (!isSaidBySum) return { ...ranges, [day]: { count, last } };
  if (!(day in ranges)) return ranges;
  const { [day]: _, ...others } = ranges;
  return others;
};
