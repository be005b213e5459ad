import { ThrottledReads } from '@refledger/application';
import type { BalanceId, Position } from '@refledger/contracts';
import type { BalanceDocument } from '@refledger/projections';
import type { Document, ReadResult, ProjectionSpec, Query } from '@refledger/read-store';
import type { MoneyReads } from '../money-reads.js';
import { CurrentBalances } from './current-balances.js';

const id = (n: number): BalanceId => `bal_${String(n).padStart(26, '0')}`;
const documents = Array.from(
  { length: 250 },
  (_, n) =>
    ({
      account_id: 'acct_1',
      id: id(n),
      affiliate_id: 'aff_1',
      program_id: 'prog_spring',
      is_open: true,
      entries: 1,
      chain: '',
      updated_at: '2026-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      currency: 'USD',
      earned: '1',
      adjusted: '0',
      in_payout: '0',
      paid: '0',
      open: { '2026-01': { '01': '1' } },
      ranges: {},
      open_payouts: 0,
    }) satisfies BalanceDocument,
);

it('adds up every open balance once, page by page', async () => {
  const queries: Query[] = [];
  const find = (_: ProjectionSpec, query: Query): Promise<ReadResult<readonly Document[]>> => {
    queries.push(query);
    const [, after = ''] = query.after ?? [];
    const value = documents.filter((document) => document.id > after).slice(0, query.limit);
    return Promise.resolve({ value, position: String(7 + queries.length) as Position });
  };
  const waits = { run: <T>(_: unknown, wait: () => Promise<T>) => wait() };
  const throttledReads = new ThrottledReads(waits, {
    now: () => 0,
    sleep: () => Promise.resolve(),
  });
  const money = { settle: () => Promise.resolve(undefined), find } as Partial<MoneyReads>;
  const balances = new CurrentBalances({
    money: money as MoneyReads,
    reader: {
      load: () => Promise.reject(new Error()),
      createdAt: () => Promise.reject(new Error()),
    },
    commands: { instant: () => '2026-02-01T00:00:00.000Z' },
    throttledReads,
  });
  const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
  const read = { caller, minPosition: undefined };
  const summary = await balances.summary(read, { program_id: 'prog_spring' });

  expect(summary.currencies).toEqual([
    { currency: 'USD', held: 0n, payable: 250n, negative: 0n, in_payout: 0n, balances: 250 },
  ]);
  expect(summary.position).toBe('8');
  expect(queries.map(({ after, limit }) => [after?.[1], limit])).toEqual([
    [undefined, 100],
    [id(99), 100],
    [id(199), 100],
  ]);
  expect(queries[0]?.where).toEqual([
    { field: 'account_id', equals: 'acct_1' },
    { field: 'program_id', equals: 'prog_spring' },
    { field: 'is_open', equals: true },
  ]);
});
