import fc from 'fast-check';
import { currencies } from './currencies.js';
import {
  amountFrom,
  amountsByCurrency,
  amountSchema,
  currencySchema,
  maxAmount,
  normalizeCurrency,
} from './money.js';

it.each([0, -0, 1, 1e2, maxAmount])('%p is an amount', (amount) =>
  expect(amountSchema.safeParse(amount).success).toBe(true),
);

it.each([-1, 0.5, maxAmount + 1, 2 ** 53, Infinity, NaN, '1', 1n, true, null])(
  '%p is not an amount',
  (amount) => expect(amountSchema.safeParse(amount).success).toBe(false),
);

it.each(['USD', 'usd', 'uSd', 'EUR', 'JPY', 'XDR', 'hrk', 'DEM'])('%s is a currency', (code) =>
  expect(currencySchema.safeParse(code).success).toBe(true),
);

it.each(['', 'US', 'USDD', 'ZZZ', 'XXX', 'XTS', 'XEU', ' USD', 'ſEK', 'ıDR', 'constructor'])(
  '%j is not a currency',
  (code) => expect(currencySchema.safeParse(code).success).toBe(false),
);

it.each([
  ['XAU', 'no_minor_unit'],
  ['xdr', 'no_minor_unit'],
  ['XXX', 'unknown_currency'],
  ['BGN', undefined],
  ['usd', undefined],
])('amounts by currency have the issue of %s: %s', (code, issue) => {
  const { error } = amountsByCurrency(amountFrom(1)).safeParse({ [code]: 1 });
  const [found, ...others] = (error?.issues ?? []).flatMap((each) =>
    each.code === 'invalid_key' ? each.issues : [each],
  );
  expect(found).toEqual(
    issue === undefined ? undefined : expect.objectContaining({ params: { code: issue } }),
  );
  expect(others).toEqual([]);
});

it('accepts exactly the codes with a known stored form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...currencies), fc.string({ maxLength: 4 })), (code) => {
      expect(currencySchema.safeParse(code).success).toBe(currencies.has(normalizeCurrency(code)));
      expect(normalizeCurrency(normalizeCurrency(code))).toBe(normalizeCurrency(code));
    }),
  );
});
