import { z } from 'zod';
import { currencies } from './currencies.js';

/** The largest amount of one sale, in the currency's minor unit. */
export const maxAmount = 999_999_999_999;

const describeInput = (input: unknown): string =>
  typeof input === 'number'
    ? String(input)
    : input === null
      ? 'null'
      : Array.isArray(input)
        ? 'an array'
        : `a value of type ${typeof input}`;

/** An amount of money: an integer number of the currency's minor unit (cents), never a fraction. */
export const amountSchema = z
  .int({
    error: ({ input }) =>
      input === undefined
        ? 'is required. Send an integer in minor units, such as 4950 for 49.50'
        : `must be an integer in minor units, but was ${describeInput(input)}. Send 4950 for 49.50`,
  })
  .min(0, { error: 'must be at least 0 minor units' })
  .max(maxAmount, { error: `must be at most ${maxAmount} minor units` })
  .meta({ example: 4950 });

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
