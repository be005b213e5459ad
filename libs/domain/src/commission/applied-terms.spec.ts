import type { Terms } from '@refledger/contracts';
import { appliedTerms } from './applied-terms.js';

const sale = {
  netAmount: 20_000,
  currency: 'USD',
  occurredAt: '2026-06-15T12:00:00.000Z',
  firstOccurredAt: null,
};
const later = { ...sale, firstOccurredAt: '2026-01-15T12:00:00.000Z' };
const percentage: Terms = {
  type: 'percentage',
  rate_bps: 2_000,
  caps: { EUR: 100 },
  recurring: { months: 5 },
  hold_days: 30,
};
const flat: Terms = { type: 'flat', amounts: { USD: 500 }, recurring: 'first', hold_days: 30 };
const byProgram = { source: 'program', version: 3, terms: percentage } as const;
const byAffiliate = { source: 'affiliate', version: 1, terms: flat } as const;

it.each([
  [4_000, 'applied', sale],
  [100, 'capped', { ...sale, currency: 'EUR' }],
  [0, 'after_duration', later],
])('a percentage of the program earns %i: %s', (commission_amount, why, of) => {
  expect(appliedTerms(of, byProgram)).toEqual({
    commission_amount,
    commission: { source: 'program', terms_version: 3, type: 'percentage', rate_bps: 2_000, why },
  });
});

it.each([
  [500, 'applied', sale],
  [0, 'no_amount_in_currency', { ...sale, currency: 'EUR' }],
  [0, 'not_first', later],
])('a flat amount of the affiliate earns %i: %s', (commission_amount, why, of) => {
  expect(appliedTerms(of, byAffiliate)).toEqual({
    commission_amount,
    commission: { source: 'affiliate', terms_version: 1, type: 'flat', rate_bps: null, why },
  });
});

it('nothing is earned without terms', () => {
  expect(appliedTerms(sale, null)).toEqual({
    commission_amount: 0,
    commission: {
      source: 'none',
      terms_version: null,
      type: null,
      rate_bps: null,
      why: 'no_terms',
    },
  });
});
