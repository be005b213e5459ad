import type { Payout } from '@refledger/testing';
import { balanceOf } from '../books/due-entries.js';
import { worthOf } from '../books/worth.js';
import type { Facts } from '../facts.js';
import type { Entry } from '../ledger.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that, for each affiliate and currency, what was sent is what was posted, and is either
 * paid, in a payout, payable or held; and that one `Idempotency-Key` made at most one payout or
 * run.
 */
export const comparePaid = ({
  entries,
  history,
  money,
}: Pick<Facts, 'entries' | 'history' | 'money'>): Comparison => {
  const sent = worthOf({ entries, history });
  const posted = sumsOf(money.entries[0] ?? [], ({ amount }) => amount);
  const open = sumsOf(money.balances, ({ held, payable }) => held + payable);
  const paid = paidIn(money.payouts, ['completed']);
  const onTheirWay = paidIn(money.payouts, ['created', 'processing']);
  const names = [...sent, ...posted, ...open, ...paid, ...onTheirWay].map(([name]) => name);
  return {
    claim: 'sent = posted = paid + in payouts + open',
    figures: {
      payouts: money.payouts.length,
      'paid out': paid.size,
      'on their way': onTheirWay.size,
      'payouts failed': money.payouts.filter(({ status }) => status === 'failed').length,
      'payouts canceled': money.payouts.filter(({ status }) => status === 'canceled').length,
    },
    differences: [
      ...[...new Set(names)].flatMap((name) => {
        const sumOf = (sums: Sums): bigint => sums.get(name) ?? 0n;
        const there = sumOf(paid) + sumOf(onTheirWay) + sumOf(open);
        return sumOf(sent) === sumOf(posted) && sumOf(posted) === there
          ? []
          : [
              `${name}: ${sumOf(sent)} was sent and ${sumOf(posted)} posted, but ${sumOf(paid)} is paid, ${sumOf(onTheirWay)} in payouts and ${sumOf(open)} open`,
            ];
      }),
      ...keyFaults(entries),
    ],
  };
};

/** By affiliate and currency. */
type Sums = ReadonlyMap<string, bigint>;
type Named = Parameters<typeof balanceOf>[0];

const sumsOf = <Row extends Named>(rows: readonly Row[], amountOf: (row: Row) => number): Sums => {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    const name = balanceOf(row);
    sums.set(name, (sums.get(name) ?? 0n) + BigInt(amountOf(row)));
  }
  return sums;
};

const paidIn = (payouts: readonly Payout[], statuses: readonly Payout['status'][]): Sums =>
  sumsOf(
    payouts.filter(({ status }) => statuses.includes(status)),
    ({ amount }) => amount,
  );

const keyFaults = (entries: readonly Entry[]): string[] => {
  const made = new Map<string, string>();
  return entries.flatMap(({ intent: { what, key }, outcome }) => {
    if (key === undefined || !/^payout(_run)?\.create$/.test(what)) return [];
    const id = outcome?.report === 'acknowledged' ? outcome.record?.id : undefined;
    if (id === undefined) return [];
    const other = made.get(key) ?? id;
    made.set(key, other);
    return other === id ? [] : [`${what} with ${key} made ${other} and ${id}`];
  });
};
