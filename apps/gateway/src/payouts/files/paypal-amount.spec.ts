import * as fc from 'fast-check';
import { decimalAmount } from '../../csv/decimal-amount.js';
import { isExactForPayPal, isPaidByPayPal, paypalAmount } from './paypal-amount.js';

it.each([
  [6_000n, 'USD', true, '60.00'],
  [6_050n, 'USD', true, '60.50'],
  [1_234n, 'JPY', true, '1234'],
  [123_400n, 'HUF', true, '1234'],
  [100n, 'TWD', true, '1'],
  [123_450n, 'HUF', false, '1234.50'],
  [1n, 'TWD', false, '0.01'],
])('PayPal can pay %s minor units of %s exactly: %s, %s', (amount, currency, isExact, text) => {
  expect(isExactForPayPal(amount, currency)).toBe(isExact);
  expect(paypalAmount(decimalAmount(amount, currency), currency)).toBe(text);
});

it('is an integer of the same value wherever PayPal takes no decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n }), fc.constantFrom('HUF', 'TWD'), (units, currency) => {
      const text = paypalAmount(decimalAmount(units * 100n, currency), currency);
      expect([text, isExactForPayPal(units * 100n, currency)]).toEqual([String(units), true]);
      expect(isExactForPayPal(units * 100n + 1n, currency)).toBe(false);
    }),
  );
});

it.each(['USD', 'EUR', 'JPY', 'HUF', 'TWD', 'BRL'])('PayPal pays out %s', (currency) =>
  expect(isPaidByPayPal(currency)).toBe(true),
);

it.each(['KWD', 'RUB', 'INR', 'TRY', 'BGN', 'XAU', 'constructor'])(
  'PayPal does not pay out %s',
  (currency) => expect(isPaidByPayPal(currency)).toBe(false),
);
