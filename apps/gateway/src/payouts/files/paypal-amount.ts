import { minorDigits } from '@refledger/contracts';

/**
 * The currencies that PayPal pays out. Source:
 * https://developer.paypal.com/docs/reports/reference/paypal-supported-currencies/ (read on
 * 2026-11-29). BRL, CNY and MYR are for accounts in their own countries.
 */
const paidOut: ReadonlySet<string> = new Set(
  `AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD
   USD`.split(/\s+/),
);

/** PayPal refuses decimals in these, although ISO 4217 gives them two; the page above says so. */
const whole: ReadonlySet<string> = new Set(['HUF', 'TWD']);

/** Whether PayPal pays out in this currency. It refuses a whole file in another one. */
export const isPaidByPayPal = (currency: string): boolean => paidOut.has(currency);

/** Whether PayPal can pay an amount of minor units exactly: no fraction of a forint, for example. */
export const isExactForPayPal = (amount: bigint, currency: string): boolean =>
  !whole.has(currency) || amount % 10n ** BigInt(minorDigits(currency)) === 0n;

/** Returns a decimal amount as PayPal takes it: `1234` for 1234.00 HUF. It is never rounded. */
export const paypalAmount = (decimal: string, currency: string): string =>
  whole.has(currency) ? decimal.replace(/\.0+$/, '') : decimal;
