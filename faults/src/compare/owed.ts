import type { Balance, Entry } from '@refledger/testing';
import { same } from '../canonical.js';
import { balanceOf } from '../books/due-entries.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the figures of each balance are the sums of its entries, and that what was earned and
 * adjusted is held, payable, in a payout or paid (laws L1 and L3).
 */
export const compareOwed = ({ money }: Pick<Facts, 'money'>): Comparison => {
  const [entries = []] = money.entries;
  const byBalance = grouped(entries, balanceOf);
  return {
    claim: 'balances are the sums of their entries',
    figures: {
      balances: money.balances.length,
      held: money.balances.filter(({ held }) => held !== 0).length,
      'owed to the account': money.balances.filter(({ payable }) => payable < 0).length,
    },
    differences: [
      ...money.balances.flatMap((balance) => [
        ...sumFaults(balance, byBalance.get(balanceOf(balance)) ?? []),
        ...recordFaults(balance, money.records.get(balance.id)),
      ]),
      ...listFaults(money.balances, byBalance),
    ],
  };
};

const sumFaults = (balance: Balance, entries: readonly Entry[]): string[] => {
  const { id, on, earned, adjusted, held, payable, in_payout, paid } = balance;
  const sums = {
    earned: sumOf(entries.filter(({ adjustment_id }) => adjustment_id === null)),
    adjusted: sumOf(entries.filter(({ adjustment_id }) => adjustment_id !== null)),
    held: sumOf(entries.filter(({ payable_on }) => payable_on > on)),
    payable: sumOf(entries.filter(({ payable_on }) => payable_on <= on)),
    schedule: scheduleOf(entries.filter(({ payable_on }) => payable_on > on)),
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
  return faults;
};

const sumOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);

/** By day, without the days that add up to nothing. */
const scheduleOf = (held: readonly Entry[]): Balance['schedule'] =>
  [...grouped(held, ({ payable_on }) => payable_on)]
    .map(([payable_on, entries]) => ({ payable_on, amount: sumOf(entries) }))
    .filter(({ amount }) => amount !== 0)
    .toSorted((a, b) => (a.payable_on < b.payable_on ? -1 : 1));

/**
 * A balance read by its id comes from its own stream, and one in a list from a read model, which may
 * have got further.
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
