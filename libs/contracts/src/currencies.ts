import { activeCodes, withdrawnCodes, type Withdrawn } from './currency-table.js';

const { none, ...byDigits } = activeCodes;
const codesOf = (text: string): readonly string[] => text.trim().split(/\s+/);

const withdrawals: ReadonlyMap<string, Withdrawn> = new Map(Object.entries(withdrawnCodes));

/** The digits of the minor unit of each code that has one. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...Object.entries(byDigits).flatMap(([digits, codes]) =>
    codesOf(codes).map((code) => [code, Number(digits)] as const),
  ),
  ...[...withdrawals].map(([code, { digits }]) => [code, digits] as const),
]);

/** Earlier releases never accepted these: no currency, and a code for tests. */
const neverAccepted: readonly string[] = ['XXX', 'XTS'];

/**
 * The codes of ISO 4217 that a record may have: active ones and those withdrawn since 2000. Some,
 * such as XAU (gold), have no minor unit. Only records of earlier releases have these.
 */
export const currencies: ReadonlySet<string> = new Set([
  ...digitsByCurrency.keys(),
  ...codesOf(none).filter((code) => !neverAccepted.includes(code)),
]);

/** Whether ISO 4217 gives a code a minor unit, in which amounts can be counted. */
export const hasMinorUnit = (currency: string): boolean => digitsByCurrency.has(currency);

/**
 * Returns how many digits after the point an amount of this currency has: the minor unit of ISO
 * 4217. Without a minor unit it is 0: such an amount counts whole units.
 */
export const minorDigits = (currency: string): number =>
  digitsByCurrency.get(currency) ?? (currencies.has(currency) ? 0 : 2);

/** Returns when a code was withdrawn, and its successor; undefined for an active code. */
export const withdrawalOf = (currency: string): Withdrawn | undefined => withdrawals.get(currency);
