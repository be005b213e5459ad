import { randomInt } from 'node:crypto';

export const currencies = ['USD', 'EUR', 'JPY', 'KWD'] as const;
export type Amounts = Partial<Record<(typeof currencies)[number], number>>;
export interface Terms {
  readonly type: 'percentage' | 'flat';
  readonly rate_bps?: number;
  readonly amounts?: Amounts;
  readonly caps?: Amounts;
  readonly hold_days: number;
}

/** Returns one of these. */
export const pick = <T>(from: readonly T[]): T => {
  const chosen = from[randomInt(from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};

/** Small amounts round most visibly, large ones least exactly. */
export const randomAmount = (): number =>
  pick([() => randomInt(300), () => randomInt(100_000), () => randomInt(1_000_000_000_000)])();

const randomAmounts = (): Amounts =>
  Object.fromEntries([
    ['USD', randomAmount()],
    ...currencies.slice(1).flatMap((code) => (randomInt(2) === 0 ? [[code, randomAmount()]] : [])),
  ]) as Amounts;

/** Returns valid terms, for every sale of a customer. */
export const randomTerms = (): Terms => ({
  ...(randomInt(3) === 0
    ? { type: 'flat', amounts: randomAmounts() }
    : { type: 'percentage', rate_bps: randomInt(10_001) }),
  ...(randomInt(2) === 0 && { caps: randomAmounts() }),
  hold_days: randomInt(366),
});
