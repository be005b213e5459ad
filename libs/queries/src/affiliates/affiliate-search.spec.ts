import type { Position, SealedAffiliateRecord } from '@refledger/contracts';
import { plainAffiliate, storedAffiliate } from '@refledger/domain/testing';
import type { AffiliateSearchDocument } from '@refledger/projections';
import type { Query } from '@refledger/read-store';
import { AffiliateSearch } from './affiliate-search.js';

const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
const context = { caller, minPosition: undefined };
const query: Query = {
  where: [{ field: 'account_id', equals: 'acct_1' }],
  order: { fields: ['created_at', 'id'], descending: false },
  limit: 26,
};

/** The nth affiliate of an account. */
const row = (n: number, fields: Parameters<typeof storedAffiliate>[1] = {}) =>
  ({
    account_id: 'acct_1',
    email_hash: `hash-${n}`,
    external_id_hash: null,
    record: storedAffiliate(`aff_${String(n).padStart(26, '0')}`, fields),
  }) as const satisfies AffiliateSearchDocument;

/** A search over the rows that `rowsAfter` returns. */
const given = (rowsAfter: RowsAfter) => {
  const calls = { queries: [] as Query[], opened: [] as string[][] };
  const find = (_: unknown, _collection: string, asked: Query) => {
    calls.queries.push(asked);
    const term = asked.where
      .flatMap((filter) => ('equals' in filter ? [filter.equals] : []))
      .at(-1);
    const value = rowsAfter(String(asked.after?.[1] ?? ''), asked.limit, String(term));
    return Promise.resolve({ value, position: `${calls.queries.length}` as Position });
  };
  const openUnlessErased = (records: readonly SealedAffiliateRecord[]) => {
    calls.opened.push(records.map(({ id }) => id));
    return Promise.resolve(
      records.map((record) => (record.status === 'suspended' ? undefined : plainAffiliate(record))),
    );
  };
  return { calls, search: new AffiliateSearch({ find }, { openUnlessErased }) };
};
type RowsAfter = (id: string, limit: number, term: string) => readonly AffiliateSearchDocument[];
const searched = { terms: ['t'], matches: ({ name }: { name: string }) => name !== 'other' };
const rows = Array.from({ length: 40 }, (_, n) => row(n));
const among = (all: readonly AffiliateSearchDocument[]) => (id: string, limit: number) =>
  all.filter(({ record }) => record.id > id).slice(0, limit);

it('reads and opens a page with one call each, and tells that more follow', async () => {
  const { calls, search } = given(among(rows));
  const page = await search.page(searched, query, context);
  expect(page.records.map(({ id }) => id)).toEqual(
    rows.slice(0, 25).map(({ record }) => record.id),
  );
  expect(page).toMatchObject({ next: { id: rows[24]?.record.id }, position: '1' });
  expect([calls.queries.length, calls.opened.length]).toEqual([1, 1]);
});

it('compares the other filters before it opens, and shows no erased affiliate', async () => {
  const all = [
    row(1, { status: 'pending' }),
    row(2),
    row(3, { status: 'suspended' }),
    row(4, { name: 'other' }),
  ];
  const { calls, search } = given(among(all));
  const page = await search.page(searched, query, context);
  expect(page.records.map(({ id }) => id)).toEqual([all[0]?.record.id, all[1]?.record.id]);
  expect(page.next).toBeUndefined();

  const where = [
    ...query.where,
    { field: 'status', equals: 'approved' },
    { field: 'program_id', equals: 'prog_1' },
    { field: 'email_hash', equals: 'hash-2' },
  ];
  calls.opened.length = 0;
  const filtered = await search.page(searched, { ...query, where }, context);
  expect(filtered.records.map(({ id }) => id)).toEqual([all[1]?.record.id]);
  expect(calls.opened).toEqual([[all[1]?.record.id]]);
});

it.each([
  ['one term', ['t'], 10_000],
  ['two terms', ['t', 'u'], 5_000],
])('ends a page after 10,000 rows of %s, and continues after the last', async (_, terms, last) => {
  const { calls, search } = given((id, limit) => {
    const from = id === '' ? 1 : Number(id.slice(4)) + 1;
    return Array.from({ length: limit }, (_, n) => row(from + n, { name: 'other' }));
  });
  const page = await search.page({ ...searched, terms }, query, context);
  expect(page.records).toEqual([]);
  expect(page.next).toMatchObject({ id: row(last).record.id });
  expect(page.position).toBe('1');
  const read = calls.queries.map(({ limit }) => limit);
  expect(read.reduce((sum, limit) => sum + limit, 0)).toBe(10_000);
  expect(Math.max(...read)).toBe(500);
});

it('shows an affiliate of two terms once, in order', async () => {
  const { calls, search } = given(among(rows));
  const page = await search.page({ ...searched, terms: ['t', 'u'] }, query, context);
  expect(page.records.map(({ id }) => id)).toEqual(
    rows.slice(0, 25).map(({ record }) => record.id),
  );
  expect(calls.opened).toHaveLength(1);
});

it('skips no row of one term because those of another are read further', async () => {
  const near = Array.from({ length: 60 }, (_, n) => row(n, { name: n < 50 ? 'other' : 'Ada' }));
  const far = Array.from({ length: 60 }, (_, n) => row(100 + n, { name: 'other' }));
  const { search } = given((id, limit, term) => among(term === 't' ? near : far)(id, limit));
  const page = await search.page({ ...searched, terms: ['t', 'u'] }, query, context);
  expect(page.records.map(({ id }) => id)).toEqual(near.slice(50).map(({ record }) => record.id));
});
