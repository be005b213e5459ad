import { balanceSchema, type AffiliateStatus, type Position } from '@refledger/contracts';
import fc from 'fast-check';
import type { BalanceFigures } from './balance-figures.js';
import { balanceRecord, type BalanceView } from './balance-record.js';
import { notEligibleFor, type Payee } from './eligibility.js';

const figures: BalanceFigures = {
  about: {
    balance_id: `bal_${'0'.repeat(26)}`,
    affiliate_id: `aff_${'0'.repeat(26)}`,
    program_id: 'prog_spring',
    currency: 'USD',
  },
  earned: 12_500n,
  adjusted: 500n,
  inPayout: 100n,
  paid: 5_900n,
  open: [
    ['2026-11-21', 5_000n],
    ['2026-11-22', -1_000n],
    ['2026-12-02', 1_000n],
    ['2026-12-20', 2_000n],
  ],
  ranges: [],
  openPayouts: 1,
  entries: 9,
  chain: '9f2c',
};
const payee: Payee = { status: 'approved', payoutHold: false, minimum: 5_000 };
const view: BalanceView = {
  today: '2026-11-22',
  on: '2026-11-22',
  position: '1234' as Position,
  createdAt: '2026-10-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
  payee,
};

it('is the record of the contract', () => {
  const record = balanceRecord(figures, view);
  expect(record).toEqual({
    id: figures.about.balance_id,
    object: 'balance',
    affiliate_id: figures.about.affiliate_id,
    program_id: 'prog_spring',
    currency: 'USD',
    earned: 12_500n,
    adjusted: 500n,
    held: 3_000n,
    payable: 4_000n,
    in_payout: 100n,
    paid: 5_900n,
    on: '2026-11-22',
    schedule: [
      { payable_on: '2026-12-02', amount: 1_000n },
      { payable_on: '2026-12-20', amount: 2_000n },
    ],
    minimum: 5_000,
    eligible: false,
    not_eligible: ['below_minimum'],
    entries: 9,
    chain: '9f2c',
    created_at: '2026-10-01T00:00:00.000Z',
    updated_at: '2026-11-01T00:00:00.000Z',
    position: '1234',
  });
  expect(Object.keys(record)).toEqual(Object.keys(balanceSchema.shape));
});

it('is eligible by what is payable today, on whatever day it is seen', () => {
  const later = balanceRecord(figures, { ...view, on: '2026-12-02' });
  expect(later).toMatchObject({ held: 2_000n, payable: 5_000n, not_eligible: ['below_minimum'] });
});

it('always adds up: what is open on any day is held or payable', () => {
  const day = fc.integer({ min: 1, max: 28 }).map((n) => `2026-02-${String(n).padStart(2, '0')}`);
  const days = fc.uniqueArray(fc.tuple(day, fc.bigInt()), { selector: ([of]) => of });
  fc.assert(
    fc.property(days, day, (open, on) => {
      const { held, payable, schedule } = balanceRecord({ ...figures, open }, { ...view, on });
      expect(held + payable).toBe(open.reduce((sum, [, amount]) => sum + amount, 0n));
      expect(schedule.reduce((sum, { amount }) => sum + amount, 0n)).toBe(held);
      expect(schedule.every(({ payable_on }) => payable_on > on)).toBe(true);
    }),
  );
});

it.each([
  ['enough is payable', 5_000n, {}, []],
  ['all is payable that one payout can hold', 2n ** 53n - 1n, {}, []],
  ['more is payable than one payout can hold', 2n ** 53n, {}, ['too_many_ranges']],
  ['there is no minimum', 1n, { minimum: null }, []],
  ['one unit is missing', 4_999n, {}, ['below_minimum']],
  ['nothing is payable', 0n, {}, ['nothing_payable']],
  ['less than nothing is payable', -1n, {}, ['nothing_payable']],
  ['the affiliate is held', 5_000n, { payoutHold: true }, ['payout_hold']],
  ['the affiliate is deleted', 5_000n, { status: undefined }, ['not_approved']],
  ...(['pending', 'rejected', 'suspended'] satisfies AffiliateStatus[]).map(
    (status) => [`the affiliate is ${status}`, 5_000n, { status }, ['not_approved']] as const,
  ),
  [
    'nothing is right, in the order of the checks',
    1n,
    { status: 'pending', payoutHold: true },
    ['not_approved', 'payout_hold', 'below_minimum'],
  ],
] as const)('%s', (_, payable, over, reasons) => {
  const open = [[view.today, payable]] as const;
  expect(notEligibleFor({ ...figures, open }, view.today, { ...payee, ...over })).toEqual(reasons);
});

it.each([
  ['as many as one payout can hold are payable', [3_999, 1, 1], 99, []],
  ['more are payable than one payout can hold', [4_000, 1, 0], 99, ['too_many_ranges']],
  ['payouts are open', [1, 1, 1], 100, ['too_many_open_payouts']],
  ['too much is open', [4_001, 0, 0], 100, ['too_many_open_payouts', 'too_many_ranges']],
] as const)('%s', (_, [earlier, today, later], openPayouts, reasons) => {
  const ranges = [
    ['2026-11-01', earlier],
    [view.today, today],
    ['2026-12-02', later],
  ] as const;
  const counted = { ...figures, ranges, openPayouts };
  expect(notEligibleFor(counted, view.today, { ...payee, minimum: null })).toEqual(reasons);
});
