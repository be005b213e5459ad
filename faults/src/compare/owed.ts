import type { Balance, Entry, Payout } from '@refledger/testing';
import { same } from '../canonical.js';
import { balanceOf } from '../books/due-entries.js';
import { reservedPayouts, type Line } from '../books/open-lines.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the figures of each balance are the sums of its entries and payouts, that no entry is
 * in two payouts that did not fail, and that what was earned and adjusted is held, payable, in a
 * payout or paid (laws L1, L3, L4 and L6).
 */
export const compareOwed = ({ history, money }: Pick<Facts, 'history' | 'money'>): Comparison => {
  const [entries = []] = money.entries;
  const byBalance = grouped(entries, balanceOf);
  const payouts = payoutsByBalance(history);
  return {
    claim: 'balances are the sums of their entries',
    figures: {
      balances: money.balances.length,
      held: money.balances.filter(({ held }) => held !== 0).length,
      'owed to the account': money.balances.filter(({ payable }) => payable < 0).length,
    },
    differences: [
      ...money.balances.flatMap((balance) => [
        ...sumFaults(
          balance,
          byBalance.get(balanceOf(balance)) ?? [],
          payouts.get(balance.id) ?? [],
        ),
        ...recordFaults(balance, money.records.get(balance.id)),
      ]),
      ...listFaults(money.balances, byBalance),
    ],
  };
};

interface PaidLines {
  readonly payout: Payout;
  readonly lines: readonly Line[];
}

/** The payouts of each balance that did not fail, with their lines. */
const payoutsByBalance = (history: Facts['history']): ReadonlyMap<string, readonly PaidLines[]> => {
  const living = [...reservedPayouts(history)].flatMap(([id, { lines }]) => {
    const payout = history.versions.get(id)?.at(-1)?.record;
    return payout?.object === 'payout' && !['failed', 'canceled'].includes(payout.status)
      ? [{ payout, lines }]
      : [];
  });
  return grouped(living, ({ payout }) => payout.balance_id);
};

const sumFaults = (
  balance: Balance,
  entries: readonly Entry[],
  payouts: readonly PaidLines[],
): string[] => {
  const { id, on, earned, adjusted, held, payable, in_payout, paid } = balance;
  const numbers = payouts.flatMap(({ lines }) => lines.map(({ number }) => number));
  const taken = new Set(numbers);
  const open = entries.filter(({ number }) => !taken.has(number));
  const ofPayouts = payouts.map(({ payout }) => payout);
  const sums = {
    earned: sumOf(entries.filter(({ adjustment_id }) => adjustment_id === null)),
    adjusted: sumOf(entries.filter(({ adjustment_id }) => adjustment_id !== null)),
    held: sumOf(open.filter(({ payable_on }) => payable_on > on)),
    payable: sumOf(open.filter(({ payable_on }) => payable_on <= on)),
    in_payout: sumOf(ofPayouts.filter(({ status }) => status !== 'completed')),
    paid: sumOf(ofPayouts.filter(({ status }) => status === 'completed')),
    schedule: scheduleOf(open.filter(({ payable_on }) => payable_on > on)),
    entries: entries.length,
  };
  const found: Readonly<Record<string, unknown>> = { ...balance };
  const faults = Object.entries(sums)
    .filter(([figure, value]) => !same(found[figure], value))
    .map(
      ([figure, value]) =>
        `${figure} of ${id} is ${JSON.stringify(found[figure])}, but its entries add up to ${JSON.stringify(value)}`,
    );
  if (earned + adjusted !== held + payable + in_payout + paid)
    faults.push(
      `${id} earned ${earned} and was adjusted by ${adjusted}, but ${held} is held, ${payable} payable, ${in_payout} in payouts and ${paid} paid`,
    );
  if (taken.size !== numbers.length)
    faults.push(`an entry of ${id} is in two payouts that did not fail`);
  return faults;
};

const sumOf = (entries: readonly { readonly amount: number }[]): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);

/** By day, without the days that add up to nothing. */
const scheduleOf = (held: readonly Entry[]): Balance['schedule'] =>
  [...grouped(held, ({ payable_on }) => payable_on)]
    .map(([payable_on, entries]) => ({ payable_on, amount: sumOf(entries) }))
    .filter(({ amount }) => amount !== 0)
    .toSorted((a, b) => (a.payable_on < b.payable_on ? -1 : 1));

/**
 * A balance that is read by its id comes from its own stream. One in a list comes from a read
 * model, which may be further ahead.
 */
const recordFaults = (listed: Balance, record: Balance | undefined): string[] =>
  record === undefined || same({ ...listed, position: record.position }, record)
    ? []
    : [
        `${listed.id} is listed as ${JSON.stringify(listed)}, but its stream says ${JSON.stringify(record)}`,
      ];

const listFaults = (
  balances: readonly Balance[],
  entries: ReadonlyMap<string, readonly Entry[]>,
): string[] => {
  const listed = grouped(balances, balanceOf);
  return [
    ...[...listed].flatMap(([name, all]) =>
      all.length > 1 ? [`${name} has ${all.length} balances in the list`] : [],
    ),
    ...[...entries.keys()].flatMap((name) =>
      listed.has(name) ? [] : [`${name} has entries, but no balance in the list`],
    ),
  ];
};
