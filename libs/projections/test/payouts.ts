import type { PayoutEvent, PayoutFields, PayoutId } from '@refledger/contracts';
import type { PayoutCreated } from '@refledger/domain';
import type { HistoryEvent } from './history.js';

/** The fields of a payout that was just created. */
const payoutFields: PayoutFields = {
  status: 'created',
  reference: null,
  reason: null,
  metadata: { a: '1' },
  completed_at: null,
};

const about = {
  affiliate_id: 'aff_1',
  program_id: 'prog_spring',
  balance_id: 'bal_1',
  run_id: null,
  payout_number: 1,
  currency: 'USD',
  amount: '6000',
} as const;

/** The lines of every payout here: two ranges on one day and one on another. */
const buckets = [
  {
    payable_on: '2026-01-30',
    ranges: [
      { from: 1, to: 3, amount: '3000', count: 2 },
      { from: 9, to: 10, amount: '1000', count: 2 },
    ],
  },
  { payable_on: '2026-01-31', ranges: [{ from: 2, to: 2, amount: '2000', count: 1 }] },
];

/** A payout is created. */
export const payoutCreated = (
  payout_id: PayoutId = 'pay_1',
  over: Partial<PayoutCreated['data']> = {},
): HistoryEvent => ({
  stream: `refledger.payout-${payout_id}`,
  event: {
    type: 'payout.created',
    data: {
      ...about,
      payout_id,
      buckets,
      entry_count: 5,
      until: '2026-01-31',
      reported_until: null,
      ignore_minimum: false,
      partial: false,
      even_if_not_approved: false,
      description: 'January',
      payee_revision: 0,
      chain: 'chain 10',
      after: payoutFields,
      ...over,
    },
  },
});

/** A payout changes. */
export const payoutChanged = (
  type: Exclude<PayoutEvent['type'], 'payout.created'>,
  after: Partial<PayoutFields> = {},
  payout_id: PayoutId = 'pay_1',
): HistoryEvent => {
  const fields = { before: payoutFields, after: { ...payoutFields, ...after } };
  const data = { ...about, payout_id, mark: null, ...fields };
  const event: PayoutEvent =
    type === 'payout.failed' || type === 'payout.canceled'
      ? { type, data: { ...data, buckets } }
      : { type, data };
  return { stream: `refledger.payout-${payout_id}`, event };
};
