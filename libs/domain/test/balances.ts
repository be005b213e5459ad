import { derivedId, toPosition } from '@refledger/contracts';
import type { AccountId, BalanceEvent, DomainEvent, RecordedEvent } from '@refledger/contracts';
import {
  balanceDecider,
  balanceIdOf,
  firstOpening,
  type BalanceKey,
  type BalanceChange,
  type BalanceState,
  type BalancePosting,
} from '../src/index.js';
import { affiliate_id, conversion_id } from './conversions.js';
import { instantOf, given, when } from './scenario.js';

export const account: AccountId = 'acct_1';
export const balanceAbout: BalanceKey = {
  balance_id: balanceIdOf(account, affiliate_id, 'USD'),
  affiliate_id,
  program_id: 'prog_a',
  currency: 'USD',
};

/** An event as the log has it. */
export const recorded = (
  event: DomainEvent,
  over: Partial<RecordedEvent['metadata']> = {},
): RecordedEvent =>
  ({
    ...event,
    id: 'evt',
    stream: 'refledger.conversion-1',
    revision: 0,
    position: toPosition('7'),
    metadata: {
      account_id: account,
      actor: 'key_1',
      request_id: 'r',
      schema: 1,
      recorded_at: instantOf(0),
      ...over,
    },
  }) as RecordedEvent;

/** The entry due for the nth event of a conversion. */
export const posting = (n: number, amount: number, payable_on = '2026-01-31'): BalancePosting => ({
  about: balanceAbout,
  entry: {
    kind: 'commission',
    amount,
    payable_on,
    conversion_id,
    adjustment_id: null,
    description: null,
  },
  source: {
    log_id: 'log',
    position: String(n),
    event_id: `event ${n}`,
    stream: `refledger.conversion-${conversion_id}`,
    revision: n,
  },
  posted_at: instantOf(n),
});

/** A bonus, which is an adjustment. */
export const bonus = (n: number, amount: number, payable_on?: string): BalancePosting => {
  const { entry, ...rest } = posting(n, amount, payable_on);
  const adjustment_id = derivedId('adjustment', String(n));
  const about = { conversion_id: null, adjustment_id, description: 'Bonus' };
  return { ...rest, entry: { ...entry, ...about, kind: 'adjustment' } };
};

/** The state of a balance whose first chapter has just started. */
export const opened: BalanceState = given(balanceDecider, firstOpening(balanceAbout));

/** The posted entry, and the state after it. */
export const post = (
  state: BalanceState,
  changes: readonly BalanceChange[],
  chapterLength?: number,
): { readonly events: readonly BalanceEvent[]; readonly state: BalanceState } => {
  const command = { type: 'post', changes, ...(chapterLength && { chapterLength }) } as const;
  const events = when(balanceDecider, state, command);
  return { events, state: evolved(state, events) };
};

export const evolved = (state: BalanceState, events: readonly BalanceEvent[]): BalanceState =>
  events.reduce(
    (before, event, n) =>
      balanceDecider.evolve(before, event, {
        revision: before.length + n,
        recordedAt: instantOf(0),
      }),
    state,
  );
