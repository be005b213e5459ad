import { documentsOf, record, type HistoryEvent } from '../test/history.js';
import { payoutChanged, payoutCreated } from '../test/payouts.js';
import { payoutRangesProjection } from './payout-ranges.projection.js';

const documentsAfter = (...events: readonly HistoryEvent[]) =>
  documentsOf(payoutRangesProjection, record(events));
const living = (...events: readonly HistoryEvent[]) =>
  [...documentsAfter(...events).values()].filter((document) => document !== null);
const rangesOf = (payout_id: string) => {
  const of = { account_id: 'acct_1', balance_id: 'bal_1', payout_id };
  return [
    { ...of, payable_on: '2026-01-30', from: 1, to: 3 },
    { ...of, payable_on: '2026-01-30', from: 9, to: 10 },
    { ...of, payable_on: '2026-01-31', from: 2, to: 2 },
  ];
};

it('has a document for each range that a payout takes', () => {
  expect(living(payoutCreated())).toEqual(rangesOf('pay_1'));
});

it.each(['payout.processing', 'payout.completed', 'payout.updated'] as const)(
  'keeps the ranges after %s',
  (type) => {
    expect(living(payoutCreated(), payoutChanged(type))).toEqual(rangesOf('pay_1'));
  },
);

it.each(['payout.failed', 'payout.canceled'] as const)('drops the ranges after %s', (type) => {
  expect(living(payoutCreated(), payoutChanged(type))).toEqual([]);
});

it('has the ranges again once another payout takes them', () => {
  const again = [payoutCreated(), payoutChanged('payout.failed'), payoutCreated('pay_2')];
  expect(living(...again)).toEqual(rangesOf('pay_2'));
});

it('keeps a range in a document that no other payout can touch', () => {
  const [first, second] = [payoutCreated(), payoutCreated('pay_2')].map((created) => [
    ...documentsAfter(created).keys(),
  ]);
  expect(first?.filter((id) => second?.includes(id))).toEqual([]);
});
