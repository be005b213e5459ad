import type { BalanceEvent } from '@refledger/contracts';
import type { Decider } from '../decider.js';
import type { BalanceChange, BalancePosting } from './balance-change.js';
import { fromCarried, noBalance, type BalanceState } from './balance-state.js';
import { noBuckets, withCarried, withEntry } from './buckets.js';
import { chapterLength, closingOf } from './chapters.js';
import { endedOn, withReleased, withSettled } from './ended-payout.js';
import { nextInChain } from './hash-chain.js';
import { reservedOn, withReserved, type ReservedPayout } from './reserved-payout.js';

/** The commands of a balance whose chapter is open. */
export type BalanceCommand = (
  | {
      readonly type: 'post';
      /** In the order of their sources. */
      readonly changes: readonly BalanceChange[];
    }
  /** Takes the lines of a payout that was decided on the same state. */
  | { readonly type: 'reserve'; readonly payout: ReservedPayout }
) & {
  /** The length of a full chapter; default `chapterLength`. */
  readonly chapterLength?: number;
};

/**
 * One chapter of a balance. A decision has as many events as fit. If some don't fit, the chapter is
 * closed, and they belong to the next one.
 */
export const balanceDecider: Decider<BalanceCommand, BalanceState, BalanceEvent> = {
  initial: noBalance,

  decide({ chapterLength: length = chapterLength, ...command }, state) {
    if (state.phase !== 'open')
      throw new TypeError(`chapter ${state.chapter} of a balance is ${state.phase}, not open`);
    const room = length - 1 - state.length;
    const events: BalanceEvent[] = [];
    let after = state;
    for (const change of command.type === 'post' ? command.changes : [command.payout]) {
      const event = changedOn(after, change);
      if (event === undefined) continue;
      if (events.length === room) return [...events, closingOf(after)];
      events.push(event);
      after = withChange(after, event);
    }
    return events;
  },

  evolve(state, event) {
    switch (event.type) {
      case 'balance.opened': {
        const { chapter, state: carried, carried: uncarried, ...about } = event.data;
        return {
          phase: uncarried === 0 ? 'open' : 'opening',
          about,
          chapter,
          length: 1,
          uncarried,
          buckets: noBuckets,
          ...fromCarried(carried),
        };
      }
      case 'balance.carried': {
        const uncarried = state.uncarried - 1;
        return {
          ...state,
          phase: uncarried === 0 ? 'open' : 'opening',
          length: state.length + 1,
          uncarried,
          buckets: withCarried(state.buckets, event.data.buckets),
        };
      }
      case 'balance.posted':
      case 'balance.reserved':
      case 'balance.settled':
      case 'balance.released':
        return withChange(state, event);
      case 'balance.closed':
        return { ...state, phase: 'closed', length: state.length + 1 };
    }
  },
};

type PostedEvent = Extract<BalanceEvent, { type: 'balance.posted' }>;
type ChainedEvent = Extract<BalanceEvent, { readonly data: { readonly chain: string } }>;

const changedOn = (
  state: BalanceState,
  change: BalanceChange | ReservedPayout,
): ChainedEvent | undefined => {
  if ('entry' in change) return postedOn(state, change);
  return 'append' in change ? reservedOn(state, change) : endedOn(state, change);
};

const withChange = (state: BalanceState, event: ChainedEvent): BalanceState => {
  switch (event.type) {
    case 'balance.posted':
      return withPosted(state, event.data);
    case 'balance.reserved':
      return withReserved(state, event.data);
    case 'balance.settled':
      return withSettled(state, event.data);
    case 'balance.released':
      return withReleased(state, event.data);
  }
};

const postedOn = (
  { number, chain }: BalanceState,
  { about, entry, source, posted_at }: BalancePosting,
): PostedEvent => {
  const { balance_id, affiliate_id, program_id, currency } = about;
  const { kind, amount, payable_on, conversion_id, adjustment_id, description } = entry;
  // a hot path: members that are listed cost much less than spread ones
  const data = {
    balance_id,
    affiliate_id,
    program_id,
    currency,
    number: number + 1,
    kind,
    amount,
    payable_on,
    conversion_id,
    adjustment_id,
    description,
    source,
    posted_at,
  };
  return { type: 'balance.posted', data: { ...data, chain: nextInChain(chain, data) } };
};

const withPosted = (state: BalanceState, data: PostedEvent['data']): BalanceState => {
  const { number, kind, amount, payable_on, source, posted_at, chain } = data;
  const isAdjustment = kind === 'adjustment' || kind === 'adjustment_void';
  const sum = BigInt(amount);
  // listed for speed, as in `postedOn`
  return {
    phase: state.phase,
    about: state.about,
    chapter: state.chapter,
    length: state.length + 1,
    uncarried: state.uncarried,
    number,
    payouts: state.payouts,
    through: source,
    postedAt: posted_at,
    chain,
    buckets: withEntry(state.buckets, payable_on, { number, amount }),
    inFlight: state.inFlight,
    earned: isAdjustment ? state.earned : state.earned + sum,
    adjusted: isAdjustment ? state.adjusted + sum : state.adjusted,
    paid: state.paid,
  };
};
