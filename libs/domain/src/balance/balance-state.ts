import type { CarriedState, SourceCheckpoint } from '@refledger/contracts';
import { noBuckets, type Buckets } from './buckets.js';
import type { BalanceKey } from './owed.js';

/** A balance as folded from the stream of one of its chapters. Sums are in the minor unit. */
export interface BalanceState {
  /**
   * The phase of the chapter: `opening` while open buckets are still being carried over, `closed`
   * when it is full.
   */
  readonly phase: 'none' | 'opening' | 'open' | 'closed';
  /** Undefined while there is no such balance. */
  readonly about: BalanceKey | undefined;
  readonly chapter: number;
  /** The number of events in the chapter. */
  readonly length: number;
  /** How many `balance.carried` are still to come. */
  readonly uncarried: number;
  /** The number of the last entry. */
  readonly number: number;
  /** How many payouts were reserved. */
  readonly payouts: number;
  /** The last event that was posted. */
  readonly through: SourceCheckpoint | null;
  /** The log time of the last event that was posted. */
  readonly postedAt: string | null;
  /** The head of the hash chain. */
  readonly chain: string;
  readonly buckets: Buckets;
  readonly inFlight: CarriedState['in_flight'];
  readonly earned: bigint;
  readonly adjusted: bigint;
  readonly paid: bigint;
}

/** A balance without events. */
export const noBalance: BalanceState = {
  phase: 'none',
  about: undefined,
  chapter: 0,
  length: 0,
  uncarried: 0,
  number: 0,
  payouts: 0,
  through: null,
  postedAt: null,
  chain: '',
  buckets: noBuckets,
  inFlight: {},
  earned: 0n,
  adjusted: 0n,
  paid: 0n,
};

/** Returns what a chapter hands over to the next one, apart from the buckets. */
export const carriedState = (state: BalanceState): CarriedState => ({
  number: state.number,
  payouts: state.payouts,
  through: state.through,
  posted_at: state.postedAt,
  chain: state.chain,
  in_flight: state.inFlight,
  earned: String(state.earned),
  adjusted: String(state.adjusted),
  paid: String(state.paid),
});

/** Returns the part of the state that a chapter takes over from the one before. */
export const fromCarried = (carried: CarriedState) => ({
  number: carried.number,
  payouts: carried.payouts,
  through: carried.through,
  postedAt: carried.posted_at,
  chain: carried.chain,
  inFlight: carried.in_flight,
  earned: BigInt(carried.earned),
  adjusted: BigInt(carried.adjusted),
  paid: BigInt(carried.paid),
});
