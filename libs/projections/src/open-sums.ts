import type { StoredBucket } from '@refledger/contracts';
import { plus } from './figures.js';

/**
 * The sums of the open entries by month (`2026-11`) and day (`22`), without those that are 0:
 * decimal text in the minor unit of the balance's currency. With two levels, adding an entry copies
 * no more than the months and the days of one month.
 */
export type OpenSums = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Adds an amount to the sum of a day. */
export const withAmount = (open: OpenSums, date: string, amount: number | bigint): OpenSums => {
  const [month, day] = [date.slice(0, '2026-11'.length), date.slice('2026-11-'.length)];
  const { [day]: before = '0', ...others } = open[month] ?? {};
  const sum = plus(before, amount);
  const sums = sum === '0' ? others : { ...others, [day]: sum };
  if (hasAny(sums)) return { ...open, [month]: sums };
  const { [month]: _, ...otherMonths } = open;
  return otherMonths;
};

/** Subtracts the buckets that a payout takes. */
export const withoutBuckets = (open: OpenSums, taken: readonly StoredBucket[]): OpenSums =>
  taken.reduce((sums, bucket) => withAmount(sums, bucket.payable_on, -sumOf(bucket)), open);

/** Adds the buckets that a payout returns. */
export const withBuckets = (open: OpenSums, returned: readonly StoredBucket[]): OpenSums =>
  returned.reduce((sums, bucket) => withAmount(sums, bucket.payable_on, sumOf(bucket)), open);

/** Whether any day has a sum. */
export const hasAny = (record: object): boolean => {
  for (const _ in record) return true;
  return false;
};

const sumOf = ({ ranges }: StoredBucket): bigint =>
  ranges.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
