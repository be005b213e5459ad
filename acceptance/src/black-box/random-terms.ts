import type { Random, SentTerms } from '@refledger/testing';

export const currencies = ['USD', 'EUR', 'JPY', 'KWD'] as const;
type Amounts = Readonly<Record<string, number>>;
export type Terms = SentTerms & { readonly hold_days: number };

/** Returns one of these. */
export const pick = <T>(random: Random, from: readonly T[]): T => {
  const chosen = random.pick(from);
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};

/** Small amounts show rounding errors, and large ones precision errors. */
export const randomAmount = (random: Random): number =>
  random.intBelow(pick(random, [300, 100_000, 1_000_000_000_000]));

const randomAmounts = (random: Random): Amounts =>
  Object.fromEntries(
    currencies
      .filter((code) => code === 'USD' || random.intBelow(2) === 0)
      .map((code) => [code, randomAmount(random)]),
  );

/** Returns valid terms that pay for every sale to a customer. */
export const randomTerms = (random: Random): Terms => ({
  ...(random.intBelow(3) === 0
    ? { type: 'flat', amounts: randomAmounts(random) }
    : { type: 'percentage', rate_bps: random.intBelow(10_001) }),
  ...(random.intBelow(2) === 0 && { caps: randomAmounts(random) }),
  hold_days: random.intBelow(366),
});
