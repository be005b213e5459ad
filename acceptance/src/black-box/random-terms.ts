import { randomInt } from 'node:crypto';
import type { SentTerms } from '@refledger/testing';

export const currencies = ['USD', 'EUR', 'JPY', 'KWD'] as const;
type Amounts = Readonly<Record<string, number>>;
export type Terms = SentTerms & { readonly hold_days: number };

/** Returns one of these. */
export const pick = <T>(from: readonly T[]): T => {
  const chosen = from[randomInt(from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};

/** Small amounts show rounding errors, and large ones precision errors. */
export const randomAmount = (): number =>
  pick([() => randomInt(300), () => randomInt(100_000), () => randomInt(1_000_000_000_000)])();

const randomAmounts = (): Amounts =>
  Object.fromEntries(
    currencies
      .filter((code) => code === 'USD' || randomInt(2) === 0)
      .map((code) => [code, randomAmount()]),
  );

/** Returns valid terms that pay for every sale to a customer. */
export const randomTerms = (): Terms => ({
  ...(randomInt(3) === 0
    ? { type: 'flat', amounts: randomAmounts() }
    : { type: 'percentage', rate_bps: randomInt(10_001) }),
  ...(randomInt(2) === 0 && { caps: randomAmounts() }),
  hold_days: randomInt(366),
});
