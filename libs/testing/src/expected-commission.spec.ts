import { expectedCommission, type SentTerms } from './expected-commission.js';

const percentage = (rate_bps: number, caps?: Record<string, number>): SentTerms => ({
  type: 'percentage',
  rate_bps,
  ...(caps && { caps }),
});
const flat: SentTerms = { type: 'flat', amounts: { USD: 500, EUR: 500 }, caps: { EUR: 300 } };
const usd = (net: bigint) => ({ net, currency: 'USD' });

it.each([
  [125n, 2_000, 25n],
  [24n, 1_000, 2n],
  [25n, 1_000, 3n],
  [0n, 10_000, 0n],
  [1n, 4_999, 0n],
  [1n, 5_000, 1n],
  // doubles round this product, which ends just below a half
  [999_999_995_001n, 9_999, 999_899_995_001n],
])('%i minor units at %i basis points earn %i', (net, rate, amount) =>
  expect(expectedCommission(usd(net), percentage(rate))).toEqual({ amount, why: 'applied' }),
);

it.each([
  [2_524n, 50n, 'applied'],
  [2_525n, 50n, 'capped'],
])('2%% of %i minor units, capped at 50, is %i: %s', (net, amount, why) =>
  expect(expectedCommission(usd(net), percentage(200, { USD: 50, EUR: 1 }))).toEqual({
    amount,
    why,
  }),
);

it.each([
  ['USD', 500n, 'applied'],
  ['EUR', 300n, 'capped'],
  ['JPY', 0n, 'no_amount_in_currency'],
])('a flat amount does not depend on the sale: %s %i, %s', (currency, amount, why) =>
  expect(expectedCommission({ net: 1n, currency }, flat)).toEqual({ amount, why }),
);

it('is 0 without terms', () =>
  expect(expectedCommission(usd(100n), null)).toEqual({ amount: 0n, why: 'no_terms' }));
