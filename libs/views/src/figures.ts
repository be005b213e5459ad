import type { ConversionStatus } from '@refledger/contracts';

type ByStatus<T> = Readonly<Record<ConversionStatus | 'total', T>>;

/** How many conversions, in all and by status. */
export type Counts = ByStatus<number>;
/** Sums of money in a minor unit, in all and by status, as a document stores them: decimal strings of any size. */
export type Sums = ByStatus<string>;

export const noCounts: Counts = { total: 0, pending: 0, approved: 0, rejected: 0, refunded: 0 };
export const noSums: Sums = { total: '0', pending: '0', approved: '0', rejected: '0', refunded: '0' };

export const addCount = (counts: Counts, status: ConversionStatus, by: 1 | -1): Counts => ({ ...counts, total: counts.total + by, [status]: counts[status] + by });

export const addSum = (sums: Sums, status: ConversionStatus, by: bigint): Sums => ({
  ...sums,
  total: String(BigInt(sums.total) + by),
  [status]: String(BigInt(sums[status]) + by),
});

export const toSums = ({ total, pending, approved, rejected, refunded }: Sums): ByStatus<bigint> => ({
  total: BigInt(total),
  pending: BigInt(pending),
  approved: BigInt(approved),
  rejected: BigInt(rejected),
  refunded: BigInt(refunded),
});
