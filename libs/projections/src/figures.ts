import type { ConversionStatus } from '@refledger/contracts';

type ByStatus<T> = Readonly<Record<ConversionStatus | 'total', T>>;

/** The number of conversions, in total and by status. */
export type Counts = ByStatus<number>;
/**
 * Amounts of money in minor units, in total and by status. Documents store them as decimal strings,
 * because they may be of any size.
 */
export type Sums = ByStatus<string>;

export const noCounts: Counts = { total: 0, pending: 0, approved: 0, rejected: 0, refunded: 0 };
export const noSums: Sums = {
  total: '0',
  pending: '0',
  approved: '0',
  rejected: '0',
  refunded: '0',
};

/** Counts a new conversion, or moves one from one status to another. */
export const moveCount = (
  counts: Counts,
  from: ConversionStatus | undefined,
  to: ConversionStatus,
): Counts => {
  if (from === to) return counts;
  if (from === undefined) return { ...counts, total: counts.total + 1, [to]: counts[to] + 1 };
  return { ...counts, [from]: counts[from] - 1, [to]: counts[to] + 1 };
};

/** Adds an amount to a status and to the total. */
export const addSum = (sums: Sums, status: ConversionStatus, by: number): Sums =>
  by === 0 ? sums : { ...sums, total: plus(sums.total, by), [status]: plus(sums[status], by) };

/** Adds exactly. Most sums fit plain numbers, which are several times as fast as BigInts. */
export const plus = (sum: string, by: number | bigint): string =>
  typeof by === 'number' && sum.length <= 15
    ? String(Number(sum) + by)
    : String(BigInt(sum) + BigInt(by));

/** Converts stored sums to BigInts. */
export const toSums = ({
  total,
  pending,
  approved,
  rejected,
  refunded,
}: Sums): ByStatus<bigint> => ({
  total: BigInt(total),
  pending: BigInt(pending),
  approved: BigInt(approved),
  rejected: BigInt(rejected),
  refunded: BigInt(refunded),
});
