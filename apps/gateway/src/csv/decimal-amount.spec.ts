import * as fc from 'fast-check';
import { decimalAmount } from './decimal-amount.js';

it.each([
  [4_950n, 'USD', '49.50'],
  [-5n, 'EUR', '-0.05'],
  [0n, 'USD', '0.00'],
  [-100n, 'USD', '-1.00'],
  [1_234n, 'JPY', '1234'],
  [-1n, 'JPY', '-1'],
  [1_234n, 'KWD', '1.234'],
  [7n, 'CLF', '0.0007'],
  [2n ** 64n, 'USD', '184467440737095516.16'],
])('%s minor units of %s are %s', (amount, currency, decimal) => {
  expect(decimalAmount(amount, currency)).toBe(decimal);
});

it('has the digits of the amount, whatever its size', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.constantFrom('USD', 'JPY', 'BHD', 'UYW'), (amount, currency) => {
      expect(BigInt(decimalAmount(amount, currency).replace('.', ''))).toBe(amount);
    }),
  );
});
