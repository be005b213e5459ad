import type { Balance } from '@refledger/testing';
import type { Shop } from '../service/shop.js';
import type { AffiliatePay, Sale } from '../day/sale.js';
import type { Check } from './ledger.js';

/** Sums of what affiliates have earned, in the minor unit, by currency. */
export type Earnings = ReadonlyMap<string, bigint>;

/** The totals of all balances of the account. */
export interface BalanceTotals {
  readonly earned: Earnings;
  readonly paid: readonly AffiliatePay[];
}

/** Reads all balances of the account. */
export const readBalances = async (shop: Shop): Promise<BalanceTotals> => {
  const balances = await shop.all<Balance>('/v1/balances');
  return {
    earned: sums(balances.map(({ currency, earned }) => [currency, BigInt(earned)])),
    paid: balances.map(({ currency, paid }) => ({ currency, amount: BigInt(paid) })),
  };
};

/** Compares the balances with what the shop's plan says was earned. */
export const balancesCheck = (sales: readonly Sale[], earned: Earnings): Check => {
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

const sums = (parts: readonly (readonly [string, bigint])[]): Earnings => {
  const all = new Map<string, bigint>();
  for (const [currency, amount] of parts) all.set(currency, (all.get(currency) ?? 0n) + amount);
  return all;
};
