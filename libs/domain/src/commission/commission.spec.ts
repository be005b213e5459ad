import type { Terms } from '@refledger/contracts';
import fc from 'fast-check';
import { commissionOf, type CommissionableSale } from './commission.js';

const percentage = (rate_bps: number, more: Partial<Terms> = {}): Terms =>
  ({ type: 'percentage', rate_bps, recurring: 'every', hold_days: 30, ...more }) as Terms;
const flat = (amounts: Readonly<Record<string, number>>, more: Partial<Terms> = {}): Terms =>
  ({ type: 'flat', amounts, recurring: 'every', hold_days: 30, ...more }) as Terms;
const sale = (netAmount: number, more: Partial<CommissionableSale> = {}): CommissionableSale => ({
  netAmount,
  currency: 'USD',
  occurredAt: '2026-06-15T12:00:00.000Z',
  firstOccurredAt: null,
  ...more,
});
const earlier = { firstOccurredAt: '2026-01-15T12:00:00.000Z' };

describe('a percentage', () => {
  it.each([
    [125, 2_000, 25],
    [24, 1_000, 2],
    [25, 1_000, 3],
    [26, 1_000, 3],
    [0, 10_000, 0],
    [7, 10_000, 7],
    [1, 4_999, 0],
    [1, 5_000, 1],
    [999_999_999_999, 3_333, 333_300_000_000],
    [999_999_999_999, 10_000, 999_999_999_999],
    // doubles round these products, which end just below a half
    [999_999_995_001, 9_999, 999_899_995_001],
    [999_999_991_667, 9_997, 999_699_991_669],
  ])('of %i minor units at %i basis points is %i', (netAmount, rate, amount) => {
    for (const currency of ['USD', 'JPY', 'KWD'])
      expect(commissionOf(sale(netAmount, { currency }), percentage(rate))).toEqual({
        amount,
        why: 'applied',
      });
  });

  it('equals long multiplication by hand, rounded half up', () => {
    fc.assert(
      fc.property(netAmounts, rates, (netAmount, rate) => {
        expect(commissionOf(sale(netAmount), percentage(rate)).amount).toBe(
          roundedByHand(multipliedByHand(String(netAmount), String(rate))),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('never grows when more is refunded', () => {
    fc.assert(
      fc.property(netAmounts, netAmounts, rates, (a, b, rate) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(commissionOf(sale(less), percentage(rate)).amount).toBeLessThanOrEqual(
          commissionOf(sale(more), percentage(rate)).amount,
        );
      }),
    );
  });
});

describe('a flat amount', () => {
  it('does not depend on the sale', () => {
    expect(commissionOf(sale(1), flat({ USD: 500 }))).toEqual({ amount: 500, why: 'applied' });
    expect(commissionOf(sale(0), flat({ USD: 0 }))).toEqual({ amount: 0, why: 'applied' });
  });

  it('is 0 in a currency without an amount', () => {
    expect(commissionOf(sale(100, { currency: 'EUR' }), flat({ USD: 500 }))).toEqual({
      amount: 0,
      why: 'no_amount_in_currency',
    });
  });
});

describe('a cap', () => {
  it.each([
    [2_524, 50, { amount: 50, why: 'applied' }],
    [2_525, 50, { amount: 50, why: 'capped' }],
    [2_525, 0, { amount: 0, why: 'capped' }],
    [0, 0, { amount: 0, why: 'applied' }],
  ])('limits 2 %% of %i minor units to %i: %j', (netAmount, cap, commission) => {
    const terms = percentage(200, { caps: { USD: cap } });
    expect(commissionOf(sale(netAmount), terms)).toEqual(commission);
  });

  it('is never exceeded, and is the reason only where it lowers the amount', () => {
    fc.assert(
      fc.property(netAmounts, rates, netAmounts, (netAmount, rate, cap) => {
        const uncapped = commissionOf(sale(netAmount), percentage(rate)).amount;
        const terms = percentage(rate, { caps: { USD: cap } });
        expect(commissionOf(sale(netAmount), terms)).toEqual({
          amount: Math.min(uncapped, cap),
          why: uncapped > cap ? 'capped' : 'applied',
        });
      }),
    );
  });

  it('applies to flat amounts, and only in its own currency', () => {
    const terms = flat({ USD: 500, EUR: 500 }, { caps: { USD: 300 } });
    expect(commissionOf(sale(1), terms)).toEqual({ amount: 300, why: 'capped' });
    expect(commissionOf(sale(1, { currency: 'EUR' }), terms)).toEqual({
      amount: 500,
      why: 'applied',
    });
  });
});

it.each([
  ['every', { amount: 20, why: 'applied' }],
  ['first', { amount: 0, why: 'not_first' }],
  [{ months: 5 }, { amount: 0, why: 'after_duration' }],
  [{ months: 6 }, { amount: 20, why: 'applied' }],
] as const)('a later sale to a customer under %j earns %j', (recurring, commission) => {
  expect(commissionOf(sale(100, earlier), percentage(2_000, { recurring }))).toEqual(commission);
});

const netAmounts = fc.oneof(
  fc.nat(100_000),
  fc.integer({ min: 0, max: 999_999_999_999 }),
  // with 9,999 basis points these end just below a half
  fc.nat(99_999_998).map((n) => n * 10_000 + 5_001),
);
const rates = fc.oneof(fc.constantFrom(0, 1, 5_000, 9_999, 10_000), fc.nat(10_000));

/** The product of two numbers, digit by digit. */
const multipliedByHand = (a: string, b: string): string => {
  const digits = new Array<number>(a.length + b.length).fill(0);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const sum = Number(a[i]) * Number(b[j]) + (digits[i + j + 1] ?? 0);
      digits[i + j + 1] = sum % 10;
      digits[i + j] = (digits[i + j] ?? 0) + Math.floor(sum / 10);
    }
  return digits.join('');
};

/** A number of ten-thousandths as a whole number: the first digit of the fraction decides. */
const roundedByHand = (tenThousandths: string): number => {
  const padded = tenThousandths.padStart(5, '0');
  const whole = Number(padded.slice(0, -4));
  return '56789'.includes(padded.slice(-4, -3)) ? whole + 1 : whole;
};
