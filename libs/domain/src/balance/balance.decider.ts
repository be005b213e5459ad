import type { BalanceEvent, SourceCheckpoint } from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { fromCarried, noBalance, type BalanceState } from './balance-state.js';
import { noBuckets, withCarried, withEntry } from './buckets.js';
import { chapterLength, closingOf } from './chapters.js';
import { nextInChain } from './hash-chain.js';
import type { OwedChange } from './owed.js';

/** A change in what is owed, with the event that caused it and the log time there. */
export interface Posting extends OwedChange {
  readonly source: SourceCheckpoint;
  readonly posted_at: string;
}

/** Posts entries to a balance whose chapter is open, in the order of their sources. */
export interface PostEntries {
  readonly type: 'post';
  readonly postings: readonly Posting[];
  /** The length of a full chapter; default `chapterLength`. */
  readonly chapterLength?: number;
}

/**
 * One chapter of a balance. Posting decides as many entries as fit; if some don't, the chapter is
 * closed, and they belong to the next one.
 */
export const balanceDecider: Decider<PostEntries, BalanceState, BalanceEvent> = {
  initial: noBalance,

  decide({ postings, chapterLength: length = chapterLength }, state) {
    if (state.phase !== 'open')
      throw new TypeError(`chapter ${state.chapter} of a balance is ${state.phase}, not open`);
    const room = length - 1 - state.length;
    const events: BalanceEvent[] = [];
    let after = state;
    for (const posting of postings.slice(0, room)) {
      const event = postedOn(after, posting);
      events.push(event);
      after = withPosted(after, event.data);
    }
    return postings.length <= room ? events : [...events, closingOf(after)];
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
        return withPosted(state, event.data);
      case 'balance.closed':
        return { ...state, phase: 'closed', length: state.length + 1 };
    }
  },
};

type Posted = Extract<BalanceEvent, { type: 'balance.posted' }>;

const postedOn = (
  { number, chain }: BalanceState,
  { about, entry, source, posted_at }: Posting,
): Posted => {
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

const withPosted = (state: BalanceState, data: Posted['data']): BalanceState => {
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
