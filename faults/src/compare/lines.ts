import type { Entry, Payout } from '@refledger/testing';
import { same } from '../canonical.js';
import { reservedPayouts } from '../books/open-lines.js';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the lines of each payout are entries of its balance that add up to its amount, that
 * no entry is in two payouts that did not fail, and that each entry names the payout that has it
 * (laws L4, L5 and L8).
 */
export const compareLines = ({ history, money }: Pick<Facts, 'history' | 'money'>): Comparison => {
  const holders = holdersOf(money);
  const [entries = []] = money.entries;
  const posted = new Map(entries.map((entry) => [entry.id, entry]));
  const reserved = reservedPayouts(history);
  return {
    claim: 'payouts are the sums of their lines',
    figures: {
      lines: [...money.lines.values()].reduce((sum, { length }) => sum + length, 0),
      'longest payout': Math.max(0, ...[...money.lines.values()].map(({ length }) => length)),
      'taken again': twicePaid(money.lines.values()),
    },
    differences: [
      ...money.payouts.flatMap((payout) => {
        const lines = money.lines.get(payout.id);
        const taken = reserved.get(payout.id)?.lines.map(({ number }) => number) ?? [];
        return [
          ...sumFaults(payout, lines),
          ...(lines ?? []).flatMap((line) => lineFaults(payout, line, posted.get(line.id))),
          ...(same(numbersOf(lines), inOrder(taken))
            ? []
            : [
                `has lines other than those of its reservation, which took ${inOrder(taken).join(', ')}`,
              ]),
        ].map((fault) => `${payout.id} ${fault}`);
      }),
      ...[...holders].flatMap(([id, payouts]) =>
        payouts.length > 1 ? [`${id} is in ${payouts.join(' and ')}`] : [],
      ),
      ...entries.flatMap(({ id, payout_id }) => {
        const [holder = null] = holders.get(id) ?? [];
        return payout_id === holder ? [] : [`${id} names ${payout_id}, but is in ${holder}`];
      }),
    ],
  };
};

const isLiving = ({ status }: Payout): boolean => status !== 'failed' && status !== 'canceled';

/** By entry id, the payouts that did not fail and have the entry. */
const holdersOf = ({ payouts, lines }: Facts['money']): ReadonlyMap<string, readonly string[]> => {
  const holders = new Map<string, string[]>();
  for (const { id } of payouts.filter(isLiving))
    for (const line of lines.get(id) ?? [])
      holders.set(line.id, [...(holders.get(line.id) ?? []), id]);
  return holders;
};

const sumFaults = (
  { amount, entry_count }: Payout,
  lines: readonly Entry[] | undefined,
): string[] => {
  if (lines === undefined) return ['has lines that were not read'];
  const sum = lines.reduce((total, line) => total + line.amount, 0);
  return [
    ...(amount > 0 && sum === amount ? [] : [`is ${amount}, but its lines add up to ${sum}`]),
    ...(lines.length === entry_count
      ? []
      : [`counts ${entry_count} lines, but has ${lines.length}`]),
  ];
};

const lineFaults = (
  { balance_id, until }: Payout,
  line: Entry,
  entry: Entry | undefined,
): string[] => [
  ...(line.balance_id === balance_id ? [] : [`has line ${line.id} of ${line.balance_id}`]),
  ...(line.payable_on <= until ? [] : [`until ${until} has line ${line.id} of ${line.payable_on}`]),
  ...(same(line, entry)
    ? []
    : [`has line ${JSON.stringify(line)}, but the entry is ${JSON.stringify(entry)}`]),
];

const numbersOf = (lines: readonly Entry[] = []): readonly number[] =>
  inOrder(lines.map(({ number }) => number));

const inOrder = (numbers: readonly number[]): readonly number[] =>
  numbers.toSorted((a, b) => a - b);

/** How many entries were taken by more than one payout. */
const twicePaid = (all: Iterable<readonly Entry[]>): number => {
  const times = new Map<string, number>();
  for (const lines of all) for (const { id } of lines) times.set(id, (times.get(id) ?? 0) + 1);
  return [...times.values()].filter((count) => count > 1).length;
};
