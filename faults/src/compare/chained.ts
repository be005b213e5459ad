import type { Balance, Entry, LedgerLines } from '@refledger/testing';
import { canonical } from '../canonical.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import { digest } from '../receipts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the ledger of each balance is one hash chain, from the balance's id to the head that
 * the balance shows, and has the balance's entries (law L12).
 */
export const compareChained = ({ money }: Pick<Facts, 'money'>): Comparison => {
  const entries = grouped(money.entries[0] ?? [], ({ balance_id }) => balance_id);
  return {
    claim: 'ledgers are hash chains',
    figures: {
      links: [...money.ledgers.values()].reduce((sum, lines) => sum + lines.length - 1, 0),
    },
    differences: money.balances.flatMap((balance) =>
      chainFaults(balance, money.ledgers.get(balance.id), entries.get(balance.id) ?? []).map(
        (fault) => `the ledger of ${balance.id} ${fault}`,
      ),
    ),
  };
};

const chainFaults = (
  { id, chain }: Balance,
  ledger: LedgerLines | undefined,
  entries: readonly Entry[],
): string[] => {
  if (ledger === undefined) return ['was not read'];
  const [lines, end] = [ledger.slice(0, -1) as readonly Line[], ledger.at(-1) as End];
  const heads = [digest(id), ...lines.map(({ data }) => data.chain)];
  const head = heads.at(-1);
  const faults = lines.flatMap(({ data }, index) => [
    ...linkFaults(data, heads[index]).map((fault) => `${fault} at line ${index + 1}`),
  ]);
  const posted = lines.filter(({ type }) => type === 'balance.posted');
  faults.push(...posted.flatMap(({ data }, index) => entryFaults(data, entries[index])));
  if (posted.length !== entries.length)
    faults.push(`has ${posted.length} entries, but there are ${entries.length}`);
  if (end.count !== lines.length)
    faults.push(`ends after ${end.count} lines, but has ${lines.length}`);
  if (end.chain !== head || chain !== head)
    faults.push(`ends with ${end.chain} and the balance with ${chain}, but the chain with ${head}`);
  return faults;
};

const linkFaults = ({ chain, ...hashed }: Line['data'], head = ''): string[] =>
  chain === digest(head + canonical(hashed)) ? [] : ['breaks'];

const entryFaults = (data: Line['data'], entry: Entry | undefined): string[] =>
  data['number'] === entry?.number && data['amount'] === entry?.amount
    ? []
    : [`has ${canonical(data)} instead of entry ${entry?.id} of ${entry?.amount}`];

type Line = Exclude<LedgerLines[number], { readonly object: 'end' }>;
type End = Extract<LedgerLines[number], { readonly object: 'end' }>;
