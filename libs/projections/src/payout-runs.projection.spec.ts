import { payoutRunSchema, type PayoutRunEvent, type PayoutRunFields } from '@refledger/contracts';
import { documentsOf, minute, record, type HistoryEvent } from '../test/history.js';
import { payoutChanged, payoutCreated } from '../test/payouts.js';
import { payoutRunsProjection } from './payout-runs.projection.js';

const fields: PayoutRunFields = {
  status: 'running',
  payouts: { created: 0, skipped: null },
  marks: [],
  description: null,
  metadata: {},
  finished_at: null,
};
const happened = (event: PayoutRunEvent): HistoryEvent => ({
  stream: 'refledger.payout_run-run_1',
  event,
});
const started = happened({
  type: 'payout_run.started',
  data: {
    run_id: 'run_1',
    program_id: null,
    currency: null,
    affiliate_ids: null,
    until: '2026-01-31',
    reported_until: null,
    ignore_minimum: false,
    position: '7',
    after: fields,
  },
});
const updated = happened({
  type: 'payout_run.updated',
  data: { run_id: 'run_1', before: fields, after: { ...fields, description: 'January' } },
});
const skipped = {
  nothing_payable: 1,
  not_approved: 0,
  payout_hold: 0,
  below_minimum: 0,
  too_many_open_payouts: 0,
  too_many_ranges: 0,
};
const finished = happened({
  type: 'payout_run.finished',
  data: {
    run_id: 'run_1',
    totals: [{ currency: 'USD', payouts: 1, amount: '6000' }],
    before: fields,
    after: {
      ...fields,
      status: 'finished',
      payouts: { created: 1, skipped },
      finished_at: minute(3),
    },
  },
});
const paid = (n: number, currency = 'USD', amount = '6000'): HistoryEvent =>
  payoutCreated(`pay_${n}`, { run_id: 'run_1', currency, amount });

const runAfter = (...events: readonly HistoryEvent[]) =>
  documentsOf(payoutRunsProjection, record(events)).get('run_1');

it('starts with the run as it was started, with the fields of the API record and no others', () => {
  const document = runAfter(started);
  expect(document).toMatchObject({
    account_id: 'acct_1',
    record: { id: 'run_1', status: 'running', payouts: { created: 0, skipped: null }, totals: [] },
  });
  expect(Object.keys(document?.record ?? {})).toEqual(Object.keys(payoutRunSchema.shape));
});

it('adds up the payouts that name it, per currency, while it is running', () => {
  const document = runAfter(
    started,
    paid(1),
    paid(2, 'EUR', '9007199254740992'),
    payoutChanged('payout.canceled', { status: 'canceled' }),
    paid(3),
    paid(4, 'EUR', '1'),
    payoutCreated('pay_5'),
    updated,
  );
  expect(document).toMatchObject({
    record: { description: 'January', payouts: { created: 4, skipped: null } },
    totals: [
      { currency: 'EUR', payouts: 2, amount: '9007199254740993' },
      { currency: 'USD', payouts: 2, amount: '12000' },
    ],
  });
  expect(document?.record).toMatchObject({
    totals: [
      { currency: 'EUR', payouts: 2, amount: 9_007_199_254_740_993n },
      { currency: 'USD', payouts: 2, amount: 12_000n },
    ],
  });
});

it('once it is finished, shows what was counted', () => {
  expect(runAfter(started, paid(1), finished)?.record).toMatchObject({
    status: 'finished',
    payouts: { created: 1, skipped },
    totals: [{ currency: 'USD', payouts: 1, amount: 6_000n }],
    finished_at: minute(3),
  });
});

it('ignores payouts of a run whose start was skipped', () => {
  expect(runAfter(paid(1), updated)).toBeUndefined();
});
