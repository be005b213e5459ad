import type { StoredBucket } from '@refledger/contracts';
import { PersistentMap } from '../persistent-map.js';

/** Open entries of one bucket: those with the numbers `from` to `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** Their sum, in the minor unit of the currency. */
  readonly amount: bigint;
  readonly count: number;
  /**
   * The next entry of the bucket starts another range: since this one started, a payout took or
   * returned others, so a longer range could include entries that a payout holds.
   */
  readonly closed?: true;
}

/** The open entries of a balance, by the day on which they become payable. */
export type Buckets = PersistentMap<string, readonly Range[]>;

export const noBuckets: Buckets = PersistentMap.empty;

/** The greatest sum of a range, and of a payout: JSON holds it as a number. */
export const maxRangeAmount = BigInt(Number.MAX_SAFE_INTEGER);

/** Whether a range may have this sum. Otherwise no payout could ever take the range. */
export const isRangeAmount = (sum: bigint): boolean =>
  sum <= maxRangeAmount && sum >= -maxRangeAmount;

/**
 * Returns the buckets with one more open entry. It extends the last range of its bucket, unless
 * that is closed or its sum would become too large.
 */
export const withEntry = (
  buckets: Buckets,
  day: string,
  { number, amount }: { readonly number: number; readonly amount: number },
): Buckets => {
  const ranges = buckets.get(day) ?? [];
  const last = ranges.at(-1);
  const sum = (last?.amount ?? 0n) + BigInt(amount);
  if (last === undefined || last.closed || !isRangeAmount(sum))
    return buckets.with(day, [
      ...ranges,
      { from: number, to: number, amount: BigInt(amount), count: 1 },
    ]);
  const extended = { from: last.from, to: number, amount: sum, count: last.count + 1 };
  return buckets.with(day, [...ranges.slice(0, -1), extended]);
};

/** Returns the buckets without ranges that a payout takes. */
export const withoutTaken = (buckets: Buckets, taken: readonly StoredBucket[]): Buckets =>
  taken.reduce((all, { payable_on, ranges }) => {
    const gone = new Set(ranges.map(({ from }) => from));
    const left = (all.get(payable_on) ?? []).filter(({ from }) => !gone.has(from));
    return left.length === 0 ? all.without(payable_on) : all.with(payable_on, withLastClosed(left));
  }, buckets);

/** Returns the buckets with ranges that a payout returns. */
export const withReturned = (buckets: Buckets, returned: readonly StoredBucket[]): Buckets =>
  returned.reduce((all, { payable_on, ranges }) => {
    const open = [...(all.get(payable_on) ?? []), ...ranges.map(rangeOf)];
    return all.with(payable_on, withLastClosed(open.sort((a, b) => a.from - b.from)));
  }, buckets);

const withLastClosed = (ranges: readonly Range[]): readonly Range[] =>
  ranges.map((range, index) => {
    const { closed: _, ...open } = range;
    return index === ranges.length - 1 ? { ...open, closed: true } : open;
  });

const rangeOf = ({ from, to, amount, count, sealed: closed }: StoredRange): Range => ({
  from,
  to,
  amount: BigInt(amount),
  count,
  ...(closed && { closed }),
});

type StoredRange = StoredBucket['ranges'][number];

/** Returns the buckets with those that a chapter carries over. */
export const withCarried = (buckets: Buckets, carried: readonly StoredBucket[]): Buckets =>
  carried.reduce(
    (all, { payable_on, ranges }) =>
      all.with(payable_on, [...(all.get(payable_on) ?? []), ...ranges.map(rangeOf)]),
    buckets,
  );

/** Returns the sum of each bucket, by day, in order. */
export const bucketSums = (buckets: Buckets): ReadonlyMap<string, bigint> =>
  new Map(
    inOrder(buckets).map(([day, ranges]) => [
      day,
      ranges.reduce((sum, { amount }) => sum + amount, 0n),
    ]),
  );

/**
 * Cuts the buckets into pieces of at most `maxRanges` ranges, in order of day. A bucket with more
 * of them is spread over several pieces.
 */
export const inPieces = (buckets: Buckets, maxRanges: number): readonly StoredBucket[][] => {
  const pieces: StoredBucket[][] = [];
  let left = 0;
  for (const [payable_on, ranges] of inOrder(buckets))
    for (let start = 0; start < ranges.length;) {
      if (left === 0) {
        pieces.push([]);
        left = maxRanges;
      }
      const part = ranges.slice(start, start + left).map(storedRange);
      pieces.at(-1)?.push({ payable_on, ranges: part });
      start += part.length;
      left -= part.length;
    }
  return pieces;
};

/** Returns a range in the form in which events hold it. */
export const storedRange = ({ amount, closed, ...range }: Range): StoredRange => ({
  ...range,
  ...(closed && { sealed: closed }),
  amount: String(amount),
});

/** Returns the buckets in order of day. */
export const inOrder = (buckets: Buckets): (readonly [string, readonly Range[]])[] =>
  [...buckets].sort(([a], [b]) => (a < b ? -1 : 1));
