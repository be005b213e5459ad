import fc from 'fast-check';
import { currencies } from './currencies.js';
import { amountSchema, currencySchema, maxAmount, normaliseCurrency } from './money.js';

it.each([0, -0, 1, 1e2, maxAmount])('%p is an amount', (amount) =>
  expect(amountSchema.safeParse(amount).success).toBe(true),
);

it.each([-1, 0.5, maxAmount + 1, 2 ** 53, Infinity, NaN, '1', 1n, true, null])(
  '%p is not an amount',
  (amount) => expect(amountSchema.safeParse(amount).success).toBe(false),
);

it.each(['USD', 'usd', 'uSd', 'EUR', 'JPY', 'XDR'])('%s is a currency', (code) =>
  expect(currencySchema.safeParse(code).success).toBe(true),
);

it.each(['', 'US', 'USDD', 'ZZZ', 'XXX', 'XTS', 'DEM', ' USD', 'ſEK', 'ıDR', 'constructor'])(
  '%j is not a currency',
  (code) => expect(currencySchema.safeParse(code).success).toBe(false),
);

it('contains only codes of three capital letters', () => {
  expect(currencies.size).toBeGreaterThan(170);
  for (const code of currencies) expect(code).toMatch(/^[A-Z]{3}$/);
});

it('accepts exactly the codes with a known stored form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...currencies), fc.string({ maxLength: 4 })), (code) => {
      expect(currencySchema.safeParse(code).success).toBe(currencies.has(normaliseCurrency(code)));
      expect(normaliseCurrency(normaliseCurrency(code))).toBe(normaliseCurrency(code));
    }),
  );
});
