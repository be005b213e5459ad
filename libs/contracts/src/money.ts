import { z } from 'zod';
import { currencies, hasMinorUnit } from './currencies.js';
import { integerIn } from './integer.js';
import { described } from './problems/described.js';

/** The largest amount of one sale or adjustment, in the currency's minor unit. */
export const maxAmount = 999_999_999_999;

/** The schema of an amount of at least `min`. */
export const amountFrom = (min: number) =>
  integerIn({ unit: 'minor units', example: '4950 for 49.50', min, max: maxAmount }).meta({
    example: 4950,
  });

/** An amount that is added (positive) or taken away (negative); not 0. */
export const signedAmountSchema = amountFrom(-maxAmount)
  .refine((amount) => amount !== 0, { error: 'must not be 0', params: { code: 'zero' } })
  .meta({ not: { const: 0 } });

/** An amount of money: an integer number of the currency's minor unit (cents), never a fraction. */
export const amountSchema = amountFrom(0);

const isoCode = z.string().refine((code) => currencies.has(normalizeCurrency(code)), {
  error: ({ input }) =>
    `must be an ISO 4217 currency code such as "USD", but was ${described(input)}`,
  params: { code: 'unknown_currency' },
  abort: true,
});
const codeMeta = { minLength: 3, maxLength: 3, example: 'USD' };

/**
 * An ISO 4217 code that a record may have, active or withdrawn. Requests may send it in any case;
 * it is stored in upper case (`normalizeCurrency`).
 */
export const currencySchema = isoCode.meta({
  ...codeMeta,
  description: 'ISO 4217, in any case; stored in upper case.',
});

/** The issue of a code without a minor unit, in which no amount can be counted any more. */
export const noMinorUnit = {
  code: 'no_minor_unit',
  predicate: (code: string): string =>
    `must be a currency with a minor unit, but ${normalizeCurrency(code)} has none. Send a currency such as USD`,
} as const;

/** A currency of something new: unlike `currencySchema`, it has a minor unit. */
const newCurrencySchema = isoCode
  .refine((code) => hasMinorUnit(normalizeCurrency(code)), {
    error: ({ input }) => noMinorUnit.predicate(String(input)),
    params: { code: noMinorUnit.code },
  })
  .meta(codeMeta);

/** Returns a currency code in upper case. Any text but three ASCII letters stays as it is. */
export const normalizeCurrency = (code: string): string =>
  /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : code;

/**
 * Amounts by currency in a request. The codes are stored in upper case, so two codes that differ
 * only in case are refused.
 */
export const amountsByCurrency = (amount: ReturnType<typeof amountFrom>) =>
  z.record(newCurrencySchema, amount).refine((amounts) => repeatedCurrency(amounts) === undefined, {
    error: ({ input }) =>
      `must name each currency once, but has ${repeatedCurrency(input as object)} twice. Leave one of the two out`,
    params: { code: 'repeated_currency' },
  });

/** Amounts by currency in a response or an event. The codes are in upper case. */
export const amountsByCurrencyRecord = z.record(z.string(), z.int().min(0));

const repeatedCurrency = (amounts: object): string | undefined =>
  Object.keys(amounts)
    .map(normalizeCurrency)
    .find((code, index, codes) => codes.indexOf(code) !== index);

/**
 * A sum in the minor unit of a balance's currency, as decimal text: it may exceed 2^53, and the
 * hash chain covers it (RFC 8785 numbers are doubles).
 */
export const sumSchema = z.string().regex(/^(0|-?[1-9]\d*)$/);
