import type { BalanceEvent, ClaimedAppend, PayoutEvent } from '@refledger/contracts';
import type { BalanceState } from './balance-state.js';
import { withoutTaken } from './buckets.js';
import { nextInChain } from './hash-chain.js';

/** A payout that was decided, and the append of its creation. */
export interface ReservedPayout {
  readonly created: Extract<PayoutEvent, { type: 'payout.created' }>['data'];
  readonly append: ClaimedAppend;
}

/** The maximum number of payouts of one balance that are neither settled nor released. */
export const maxOpenPayouts = 100;

type ReservedEvent = Extract<BalanceEvent, { type: 'balance.reserved' }>;

/** Returns the event that takes the lines of a payout. */
export const reservedOn = (
  { chain }: BalanceState,
  { created, append }: ReservedPayout,
): ReservedEvent => {
  const { balance_id, affiliate_id, program_id, currency } = created;
  const { payout_id, payout_number, until, buckets, amount, entry_count } = created;
  const about = { balance_id, affiliate_id, program_id, currency };
  const taken = { payout_id, payout_number, until, buckets, amount, entry_count };
  const data = { ...about, ...taken, append };
  return { type: 'balance.reserved', data: { ...data, chain: nextInChain(chain, data) } };
};

/** Returns the balance after a payout took its lines. */
export const withReserved = (state: BalanceState, data: ReservedEvent['data']): BalanceState => {
  const { payout_id, payout_number, amount, buckets, chain } = data;
  const reservation = { amount, chapter: state.chapter, revision: state.length };
  return {
    ...state,
    length: state.length + 1,
    payouts: payout_number,
    inFlight: { ...state.inFlight, [payout_id]: reservation },
    buckets: withoutTaken(state.buckets, buckets),
    chain,
  };
};
