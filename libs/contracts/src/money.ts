import { z } from 'zod';
import { currencies } from './currencies.js';
import { integerIn } from './integer.js';

/** The largest amount of one sale, in the currency's minor unit. */
export const maxAmount = 999_999_999_999;

/** An amount of money: an integer number of the currency's minor unit (cents), never a fraction. */
export const amountSchema = integerIn({
  unit: 'minor units',
  example: '4950 for 49.50',
  max: maxAmount,
}).meta({ example: 4950 });

/**
 * An active ISO 4217 code. Requests may send it in any case; it is stored in upper case
 * (`normaliseCurrency`).
 */
export const currencySchema = z
  .string()
  .refine((code) => currencies.has(normaliseCurrency(code)), {
    error: ({ input }) =>
      `must be an active ISO 4217 currency code such as "USD", but was ${JSON.stringify(input).slice(0, 40)}`,
    params: { code: 'unknown_currency' },
  })
  .meta({ minLength: 3, maxLength: 3, example: 'USD' });

/** Returns a currency code in upper case. Any text but three ASCII letters stays as it is. */
export const normaliseCurrency = (code: string): string =>
  /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : code;
