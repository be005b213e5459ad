import type { ConversionStatus } from '@refledger/contracts';

type ByStatus<T> = Readonly<Record<ConversionStatus | 'total', T>>;

/** How many conversions, in all and by status. */
export type Counts = ByStatus<number>;
/** Sums of money in a minor unit, in all and by status, as a document stores them: decimal strings of any size. */
export type Sums = ByStatus<string>;

export const noCounts: Counts = { total: 0, pending: 0, approved: 0, rejected: 0, refunded: 0 };
export const noSums: Sums = {
  total: '0',
  pending: '0',
  approved: '0',
  rejected: '0',
  refunded: '0',
};

/** One conversion more, or one that has gone from one status to another. */
export const moveCount = (
  counts: Counts,
  from: ConversionStatus | undefined,
  to: ConversionStatus,
): Counts => {
  if (from === to) return counts;
  if (from === undefined) return { ...counts, total: counts.total + 1, [to]: counts[to] + 1 };
  return { ...counts, [from]: counts[from] - 1, [to]: counts[to] + 1 };
};

export const addSum = (sums: Sums, status: ConversionStatus, by: number): Sums =>
  by === 0 ? sums : { ...sums, total: plus(sums.total, by), [status]: plus(sums[status], by) };

/** Exact; most sums are small enough for plain numbers, which are several times as fast as BigInts. */
const plus = (sum: string, by: number): string =>
  sum.length <= 15 ? String(Number(sum) + by) : String(BigInt(sum) + BigInt(by));

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
