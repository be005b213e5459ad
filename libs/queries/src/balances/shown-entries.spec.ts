import type { EntryRecord, Position } from '@refledger/contracts';
import type { Document, Query } from '@refledger/read-store';
import type { MoneyReads } from '../money-reads.js';
import { showEntries } from './shown-entries.js';

const entry = (number: number): EntryRecord =>
  ({
    number,
    balance_id: 'bal_1',
    payable_on: '2026-01-30',
    payout_id: null,
    position: '2',
  }) as Partial<EntryRecord> as EntryRecord;
const ranges = [
  { from: 1, to: 3, payout_id: 'pay_1' },
  { from: 7, to: 8, payout_id: 'pay_2' },
];
const queries: Query[] = [];
const find: MoneyReads['find'] = (_, query) => {
  queries.push(query);
  const filter = query.where.find((where) => 'before' in where);
  const before = Number(filter && 'before' in filter ? filter.before : 0);
  const value: Document[] = ranges.filter(({ from }) => from < before).slice(-1);
  return Promise.resolve({ value, position: '5' as Position });
};

it('fills in the payout whose range holds an entry, with one lookup per entry', async () => {
  const entries = [1, 3, 4, 7, 9].map(entry);
  const shown = await showEntries({ find }, { value: entries, position: '7' as Position });
  expect(shown.records.map(({ payout_id }) => payout_id)).toEqual([
    'pay_1',
    'pay_1',
    null,
    'pay_2',
    null,
  ]);
  expect(shown.position).toBe('5');
  expect(queries).toHaveLength(entries.length);
  expect(queries[0]).toEqual({
    where: [
      { field: 'balance_id', equals: 'bal_1' },
      { field: 'payable_on', equals: '2026-01-30' },
      { field: 'from', before: 2 },
    ],
    order: { fields: ['from'], descending: true },
    limit: 1,
  });
});

it('reflects the position of the entries if there are none', async () => {
  expect(await showEntries({ find }, { value: [], position: '7' as Position })).toEqual({
    records: [],
    position: '7',
  });
});
