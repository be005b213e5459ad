import { bucketSums, inOrder } from './buckets.js';
import type { BalanceState } from './balance-state.js';
import type { BalanceKey } from './owed.js';

/**
 * The figures of a balance that do not depend on a day. Sums are in the minor unit of the currency.
 */
export interface BalanceFigures {
  readonly about: BalanceKey;
  readonly earned: bigint;
  readonly adjusted: bigint;
  readonly inPayout: bigint;
  readonly paid: bigint;
  /** The sum of the open entries of each day, in order, without days whose sum is 0. */
  readonly open: readonly (readonly [day: string, amount: bigint])[];
  /** How many ranges the open entries of each day are in, in order. */
  readonly ranges: readonly (readonly [day: string, count: number])[];
  /** How many payouts are neither completed nor failed nor canceled. */
  readonly openPayouts: number;
  /** How many entries there are. */
  readonly entries: number;
  /** The head of the hash chain. */
  readonly chain: string;
}

/** Returns the figures of a balance; undefined while there is no such balance. */
export const figuresOf = (state: BalanceState): BalanceFigures | undefined => {
  const { about, earned, adjusted, paid, number: entries, chain } = state;
  if (about === undefined) return undefined;
  const inFlight = Object.values(state.inFlight);
  const inPayout = inFlight.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return {
    about,
    earned,
    adjusted,
    inPayout,
    paid,
    open: [...bucketSums(state.buckets)].filter(([, amount]) => amount !== 0n),
    ranges: inOrder(state.buckets).map(([day, ranges]) => [day, ranges.length]),
    openPayouts: inFlight.length,
    entries,
    chain,
  };
};
