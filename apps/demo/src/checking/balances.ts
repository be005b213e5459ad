import type { Balance } from '@refledger/testing';
import type { Shop } from '../service/shop.js';
import type { Sale } from './books.js';
import type { Check } from './ledger.js';

/** Sums of what affiliates have earned, in the minor unit, by currency. */
export type Earned = ReadonlyMap<string, bigint>;

/** Reads all balances of the account, and adds up what was earned. */
export const readEarned = async (shop: Shop): Promise<Earned> =>
  sums(
    (await shop.all<Balance>('/v1/balances')).map(({ currency, earned }) => [
      currency,
      BigInt(earned),
    ]),
  );

/** Compares the balances with what the shop's plan says was earned. */
export const balancesCheck = (sales: readonly Sale[], earned: Earned): Check => {
  const expected = sums(sales.map((sale) => [sale.currency, sale.earned]));
  const differing = [...new Set([...expected.keys(), ...earned.keys()])].filter(
    (currency) => (expected.get(currency) ?? 0n) !== (earned.get(currency) ?? 0n),
  );
  return {
    label: 'balances match what affiliates have earned',
    found:
      differing.length > 0
        ? `not in ${differing.join(', ')}`
        : [...earned.keys()].sort().join(', '),
    holds: differing.length === 0,
  };
};

const sums = (parts: readonly (readonly [string, bigint])[]): Earned => {
  const all = new Map<string, bigint>();
  for (const [currency, amount] of parts) all.set(currency, (all.get(currency) ?? 0n) + amount);
  return all;
};
