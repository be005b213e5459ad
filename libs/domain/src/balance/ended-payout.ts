import { streamNamed, streams, type BalanceEvent } from '@refledger/contracts';
import type { PayoutEnd } from './balance-change.js';
import type { BalanceState } from './balance-state.js';
import { withReturned } from './buckets.js';
import { nextInChain } from './hash-chain.js';

type SettledEvent = Extract<BalanceEvent, { type: 'balance.settled' }>;
type ReleasedEvent = Extract<BalanceEvent, { type: 'balance.released' }>;

/**
 * Returns the event that the end of a payout causes; undefined if it causes none. A payout that is
 * not in flight was settled before, so it can only leave `paid`.
 */
export const endedOn = (
  { chain, inFlight, postedAt }: BalanceState,
  { about, payout, source, posted_at, isLifted }: PayoutEnd,
): SettledEvent | ReleasedEvent | undefined => {
  const { payout_id, amount } = payout;
  const reserved = inFlight[payout_id];
  const isVoid = payout.became === 'void';
  const ended = {
    ...about,
    payout_id,
    amount,
    source,
    // a reservation may turn out to be void after later sources were posted
    posted_at: isVoid ? later(postedAt, posted_at) : posted_at,
    ...(isLifted && !isVoid && { lifted: true as const }),
  };
  if (payout.became === 'completed')
    return reserved && { type: 'balance.settled', data: chained(chain, ended) };
  if (isVoid && !isReservation(source, about, reserved)) return undefined;
  const was = reserved === undefined ? ('paid' as const) : ('open' as const);
  const data = { ...ended, buckets: [...payout.buckets], was };
  return { type: 'balance.released', data: chained(chain, data) };
};

/** Returns the balance after one of its payouts was completed. */
export const withSettled = (state: BalanceState, data: SettledEvent['data']): BalanceState => ({
  ...ended(state, data),
  paid: state.paid + BigInt(data.amount),
});

/** Returns the balance after the lines of one of its payouts became open again. */
export const withReleased = (state: BalanceState, data: ReleasedEvent['data']): BalanceState => ({
  ...ended(state, data),
  buckets: withReturned(state.buckets, data.buckets),
  paid: data.was === 'paid' ? state.paid - BigInt(data.amount) : state.paid,
});

const ended = (
  state: BalanceState,
  { payout_id, source, posted_at, lifted, chain }: SettledEvent['data'] | ReleasedEvent['data'],
): BalanceState => {
  const { [payout_id]: _, ...inFlight } = state.inFlight;
  return {
    ...state,
    length: state.length + 1,
    inFlight,
    through: lifted || isVoidReservation(source) ? state.through : source,
    postedAt: posted_at,
    chain,
  };
};

/** Whether the source is the reservation that is in flight. */
const isReservation = (
  { stream, revision }: PayoutEnd['source'],
  { balance_id }: PayoutEnd['about'],
  reserved: BalanceState['inFlight'][string] | undefined,
): boolean =>
  reserved !== undefined &&
  reserved.revision === revision &&
  streams.balance(balance_id, String(reserved.chapter)) === stream;

/** Later sources may have been posted before a reservation turned out to be void. */
const isVoidReservation = ({ stream }: PayoutEnd['source']): boolean =>
  stream.startsWith(streamNamed('balance'));

const later = (before: string | null, posted_at: string): string =>
  before !== null && before > posted_at ? before : posted_at;

const chained = <D extends object>(chain: string, data: D): D & { readonly chain: string } => ({
  ...data,
  chain: nextInChain(chain, data),
});
