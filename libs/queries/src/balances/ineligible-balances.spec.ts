import { ThrottledReads } from '@refledger/application';
import type { AffiliateId, BalanceId, BalanceRecord, Position } from '@refledger/contracts';
import type { BalanceDocument } from '@refledger/projections';
import type { Document, ReadResult, ProjectionSpec, Query } from '@refledger/read-store';
import type { MoneyReads } from '../money-reads.js';
import { CurrentBalances } from './current-balances.js';
import type { BalancePage } from './shown-balances.js';

const id = (n: number): BalanceId => `bal_${String(n).padStart(26, '0')}`;
const affiliate = (n: number): AffiliateId => `aff_${n}`;
const balanceOf = (n: number): BalanceDocument => ({
  account_id: 'acct_1',
  id: id(n),
  affiliate_id: affiliate(n),
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
});

/** Lists balances of which these are held back; `queries` are the pages of the read model. */
const listing = (count: number, held: readonly number[]) => {
  const documents = Array.from({ length: count }, (_, n) => balanceOf(n));
  const onHold = new Set(held.map(affiliate));
  const queries: Query[] = [];
  const find = (_: ProjectionSpec, query: Query): Promise<ReadResult<readonly Document[]>> => {
    queries.push(query);
    const [, after = ''] = query.after ?? [];
    const value = documents.filter((each) => each.id > after).slice(0, query.limit);
    return Promise.resolve({ value, position: '7' as Position });
  };
  const get = ({ name }: ProjectionSpec, of: string): Promise<ReadResult<Document | undefined>> => {
    const payout_hold = onHold.has(of as AffiliateId);
    const record =
      name === 'affiliates' ? { status: 'approved', payout_hold } : { minimum_payout: {} };
    return Promise.resolve({ value: { record }, position: '6' as Position });
  };
  const waits = { run: <T>(_: unknown, wait: () => Promise<T>) => wait() };
  const money = { settle: () => Promise.resolve(undefined), find, get } as Partial<MoneyReads>;
  const balances = new CurrentBalances({
    // test double: nothing else of it is read
    money: money as MoneyReads,
    reader: {
      load: () => Promise.reject(new Error()),
      createdAt: () => Promise.reject(new Error()),
    },
    commands: { instant: () => '2026-02-01T00:00:00.000Z' },
    throttledReads: new ThrottledReads(waits, { now: () => 0, sleep: () => Promise.resolve() }),
  });
  const page = async ({ limit = 25, after }: PageRequest = {}): Promise<BalancePage> => {
    const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
    const query: Query = {
      where: [{ field: 'account_id', equals: 'acct_1' }],
      order: { fields: ['created_at', 'id'], descending: false },
      ...(after && { after: [after.created_at, after.id] }),
      limit: limit + 1,
    };
    const days = balances.days(undefined);
    const list = { query, days, reason: 'payout_hold' } as const;
    const shown = await balances.list({ caller, minPosition: undefined }, list);
    expect(shown.position).toBe('6');
    return shown;
  };
  return { page, queries };
};
interface PageRequest {
  readonly limit?: number;
  readonly after?: BalanceRecord | undefined;
}
const idsOf = ({ records }: BalancePage): readonly string[] => records.map((balance) => balance.id);
const pageOf = (shown: BalancePage) => [idsOf(shown), shown.last !== undefined];

it('looks at 1,000 balances per page, and the next page continues after them', async () => {
  const { page, queries } = listing(2_100, [5, 1_999, 2_050]);
  const first = await page();
  expect(pageOf(first)).toEqual([[id(5)], true]);
  expect(queries.map(({ after, limit }) => [after?.[1], limit])).toEqual(
    Array.from({ length: 10 }, (_, n) => [n === 0 ? undefined : id(n * 100 - 1), 101]),
  );
  const second = await page({ after: first.last });
  expect(pageOf(second)).toEqual([[id(1_999)], true]);
  const third = await page({ after: second.last });
  expect(pageOf(third)).toEqual([[id(2_050)], false]);
});

it.each([1, 2, 3, 100])('shows each balance once, in pages of %s', async (limit) => {
  const held = [0, 99, 100, 101, 199, 249];
  const { page } = listing(250, held);
  const shown: string[] = [];
  let after: BalanceRecord | undefined;
  do {
    const next = await page({ limit, after });
    expect(next.records.length).toBeLessThanOrEqual(limit);
    shown.push(...idsOf(next));
    after = next.last;
  } while (after !== undefined);
  expect(shown).toEqual(held.map(id));
});

it.each([
  ['first', [0, 1, 2], 1],
  ['second', [0, 150], 2],
])('reads no further once its %s batch fills the page', async (_, held, batches) => {
  const { page, queries } = listing(450, held);
  expect(pageOf(await page({ limit: 2 }))).toEqual([held.slice(0, 2).map(id), true]);
  expect(queries).toHaveLength(batches);
});

it.each([
  ['the last balance', 200, [199], false],
  ['the last of a batch', 201, [99], true],
  ['one within the last batch', 50, [10], true],
])('says whether balances follow %s', async (_, count, held, hasMore) => {
  const { page } = listing(count, held);
  expect(pageOf(await page({ limit: 1 }))).toEqual([held.map(id), hasMore]);
});
