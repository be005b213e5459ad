import { balanceOf } from '../books/due-entries.js';
import { worthOf } from '../books/worth.js';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that a balance is worth what its affiliate's conversions and adjustments are worth, as the
 * requests say (law L2).
 */
export const compareWorth = ({
  entries,
  history,
  money,
}: Pick<Facts, 'entries' | 'history' | 'money'>): Comparison => {
  const worth = worthOf({ entries, history });
  const found = new Map(
    money.balances.map((balance) => [
      balanceOf(balance),
      BigInt(balance.earned) + BigInt(balance.adjusted),
    ]),
  );
  return {
    claim: 'balances are worth what was sent',
    figures: { owed: [...worth.values()].filter((amount) => amount !== 0n).length },
    differences: [...new Set([...worth.keys(), ...found.keys()])].flatMap((name) => {
      const [is = 0n, should = 0n] = [found.get(name), worth.get(name)];
      return is === should ? [] : [`${name}: the balance is ${is}, but ${should} was sent`];
    }),
  };
};
