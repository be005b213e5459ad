import type { Entry } from '@refledger/testing';
import { same } from '../canonical.js';
import { dueEntriesOf, type DueEntry } from '../books/due-entries.js';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each change in what is owed has exactly one entry, that its fields follow from the
 * event that caused it, and that a balance's entries are numbered 1, 2, 3 … in the order of their
 * causes. So the entries of a conversion add up to what is owed for it now (laws L1, L2 and L7).
 */
export const comparePosted = ({ history, money }: Pick<Facts, 'history' | 'money'>): Comparison => {
  const due = dueEntriesOf(history);
  const [entries = []] = money.entries;
  return {
    claim: 'every change in what is owed is posted once',
    figures: {
      entries: entries.length,
      corrections: count(entries, 'correction'),
      reversals: count(entries, 'reversal'),
      adjusted: count(entries, 'adjustment'),
      voided: count(entries, 'adjustment_void'),
      deductions: entries.filter(({ kind, amount }) => kind === 'adjustment' && amount < 0).length,
    },
    differences: money.entries.flatMap((list) => [...entryFaults(list, due), ...orderFaults(list)]),
  };
};

const count = (entries: readonly Entry[], wanted: Entry['kind']): number =>
  entries.filter(({ kind }) => kind === wanted).length;

const entryFaults = (list: readonly Entry[], due: ReadonlyMap<string, DueEntry>): string[] => {
  const faults: string[] = [];
  const posted = new Map<string, Entry>();
  for (const entry of list) {
    const { id, caused_by } = entry;
    const twin = posted.get(caused_by);
    if (twin !== undefined) faults.push(`${caused_by} was posted twice, as ${twin.id} and ${id}`);
    posted.set(caused_by, entry);
    const wanted = due.get(caused_by);
    if (wanted === undefined)
      faults.push(`${id} was caused by ${caused_by}, which changes nothing that is owed`);
    else faults.push(...fieldFaults(entry, wanted));
  }
  for (const [event, { amount, affiliate_id, currency }] of due)
    if (!posted.has(event))
      faults.push(
        `${event} changes the amount owed to ${affiliate_id} by ${amount} ${currency}, but was not posted`,
      );
  return faults;
};

const fieldFaults = (entry: Entry, { recordedAt, causedAt: _, ...wanted }: DueEntry): string[] => {
  const faults = entry.posted_at < recordedAt ? ['it was posted before it was recorded'] : [];
  const found: Readonly<Record<string, unknown>> = { ...entry };
  for (const [field, value] of Object.entries(wanted))
    if (!same(found[field], value))
      faults.push(`its ${field} is ${String(found[field])}, but should be ${String(value)}`);
  return faults.map((fault) => `${entry.id} of ${entry.balance_id}: ${fault}`);
};

/** The entries whose position is not after the position of the entry before them. */
const orderFaults = (list: readonly Entry[]): string[] =>
  list.flatMap((entry, index) => {
    const before = list[index - 1];
    return before === undefined || BigInt(before.position) < BigInt(entry.position)
      ? []
      : [`${entry.id} is listed after ${before.id}, but its position is not`];
  });
