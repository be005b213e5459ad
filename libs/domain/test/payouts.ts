import { derivedId, type NewPayout, type PayoutId } from '@refledger/contracts';
import {
  balanceDecider,
  newPayout,
  type BalanceState,
  type PayoutCreated,
  type PayoutEnd,
} from '../src/index.js';
import type { CreatePayout } from '../src/payout/new-payout.js';
import type { ReservedPayout } from '../src/balance/reserved-payout.js';
import { balanceAbout, posting } from './balances.js';
import { affiliate_id, affiliateAt, programWith } from './conversions.js';
import { instantOf, when } from './scenario.js';

export const payoutIdOf = (n: number): PayoutId => derivedId('payout', String(n));

/** The day on which the tests pay. */
export const today = '2026-02-10';
export const now = `${today}T10:00:00.000Z`;

/** A payout of this balance to an approved affiliate, whose program has no minimum. */
export const createPayout = (
  balance: BalanceState,
  change: Partial<NewPayout> = {},
  more: Partial<CreatePayout> = {},
): CreatePayout => ({
  payout_id: payoutIdOf(1),
  payout: { affiliate_id, currency: 'usd', ...change },
  affiliate: affiliateAt('approved'),
  program: programWith({}),
  balance,
  recordedAt: now,
  run_id: null,
  ...more,
});

/** A decided payout, with the append that its reservation holds. */
export const reservedPayout = ({ type, data }: PayoutCreated): ReservedPayout => ({
  created: data,
  append: {
    stream: `refledger.payout-${data.payout_id}`,
    expected_revision: null,
    events: [
      {
        id: 'event',
        type,
        data,
        metadata: {
          account_id: derivedId('account', '1'),
          actor: derivedId('key', '1'),
          request_id: 'r',
          schema: 1,
          recorded_at: now,
        },
      },
    ],
  },
});

/** The events of reserving everything that is payable, and the payout. */
export const reserve = (
  balance: BalanceState,
  n: number,
  { chapterLength, ...change }: Partial<NewPayout> & { readonly chapterLength?: number } = {},
) => {
  const created = newPayout(createPayout(balance, change, { payout_id: payoutIdOf(n) }));
  const payout = reservedPayout(created);
  const events = when(balanceDecider, balance, {
    type: 'reserve',
    payout,
    ...(chapterLength && { chapterLength }),
  });
  return { created, events };
};

/** The change to a balance by the nth event of the log, the end of a payout. */
export const endOf = (
  { data }: PayoutCreated,
  became: 'completed' | 'failed' | 'canceled',
  n: number,
): PayoutEnd => {
  const { payout_id, amount, buckets } = data;
  const source = { ...posting(n, 1).source, stream: `refledger.payout-${payout_id}` };
  const payout =
    became === 'completed' ? { payout_id, amount, became } : { payout_id, amount, became, buckets };
  return { about: balanceAbout, source, posted_at: instantOf(n), payout };
};
