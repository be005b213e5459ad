/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type Conversion,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

type Query = Readonly<Record<string, string | number>>;
const byTime = (a: Conversion, b: Conversion): number =>
  a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1;

/**
 * Tests lists: bounds, filters, order, pages. `count`, a multiple of 4, is the number of records in
 * a list when it is first read during writes.
 */
export const listsSuite = (service: ServiceFactory, count: number): void => {
  describe('lists', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliates: Affiliate[];
    let sales: Conversion[];
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      affiliates = [
        await account.affiliate({ program_id: 'prog_a' }),
        await account.affiliate({ program_id: 'prog_b', email: 'Case@Example.com' }),
        await account.affiliate({ program_id: 'prog_b' }),
      ];
      const made = await Promise.all(
        Array.from({ length: 45 }, (_, n) =>
          account.conversion(affiliates[n % 2]?.id ?? '', {
            sale_amount: n,
            sale_currency: n % 3 === 0 ? 'EUR' : 'USD',
            external_transaction_id: `sale-${n}`,
          }),
        ),
      );
      const changed = await Promise.all(
        made
          .slice(0, 20)
          .map((sale, n) =>
            account.update(sale, { status: n % 2 === 0 ? 'approved' : 'rejected' }),
          ),
      );
      sales = [...changed, ...made.slice(20)].toSorted(byTime);
    });

    const page = async (query: Query = {}): Promise<Page<Conversion>> =>
      expectStatus(200, await api.get<Page<Conversion>>('/v1/conversions', { query }));
    const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

    it('have 25 rows by default, newest first, each equal to the record', async () => {
      const first = await page();
      expect(first.data).toEqual(sales.toReversed().slice(0, 25));
      expect([first.object, first.has_more, typeof first.next_cursor]).toEqual([
        'list',
        true,
        'string',
      ]);
    });

    it('have 1 to 100 rows', async () => {
      expect((await page({ limit: 1 })).data).toHaveLength(1);
      const all = await page({ limit: 100 });
      expect([all.data.length, all.has_more, all.next_cursor]).toEqual([45, false, null]);
      for (const limit of [
        '0',
        '101',
        '-1',
        '1.5',
        'ten',
        '',
        '1e1',
        '0x10',
        '99999999999999999999',
      ])
        expectIssues(await api.get('/v1/conversions', { query: { limit } }), 'validation_failed', [
          'limit',
        ]);
    });

    it('are sorted both ways', async () => {
      expect(ids((await page({ sort: 'created_at', limit: 100 })).data)).toEqual(ids(sales));
      expect(ids((await page({ sort: '-created_at', limit: 100 })).data)).toEqual(
        ids(sales).toReversed(),
      );
      for (const sort of ['sale_amount', '+created_at', '', 'CREATED_AT'])
        expectIssues(await api.get('/v1/conversions', { query: { sort } }), 'validation_failed', [
          'sort',
        ]);
    });

    it.each(['created_at', '-created_at'])(
      'pages follow one another without gaps or duplicates, sorted by %s',
      async (sort) => {
        for (const limit of [1, 7, 9, 44, 45]) {
          const walked = await account.all<Conversion>('/v1/conversions', { sort, limit });
          expect(ids(walked)).toEqual(sort === 'created_at' ? ids(sales) : ids(sales).toReversed());
        }
      },
    );

    it('the last page has no cursor, even if it is full', async () => {
      const first = await page({ limit: 15 });
      const second = await page({ limit: 15, cursor: first.next_cursor ?? '' });
      const third = await page({ limit: 15, cursor: second.next_cursor ?? '' });
      expect([second.has_more, third.data.length, third.has_more, third.next_cursor]).toEqual([
        true,
        15,
        false,
        null,
      ]);
    });

    it('conversions are filtered by affiliate, program, status, transaction, currency and payout, and by all at once', async () => {
      const [, second] = affiliates;
      const filters: readonly [Query, (sale: Conversion) => boolean][] = [
        [{ affiliate_id: second?.id ?? '' }, (sale) => sale.affiliate_id === second?.id],
        [{ program_id: 'prog_a' }, (sale) => sale.program_id === 'prog_a'],
        [{ status: 'approved' }, (sale) => sale.status === 'approved'],
        [{ status: 'refunded' }, () => false],
        [
          { external_transaction_id: 'sale-7' },
          (sale) => sale.external_transaction_id === 'sale-7',
        ],
        [{ sale_currency: 'EUR' }, (sale) => sale.sale_currency === 'EUR'],
        // nothing is paid yet
        [{ payout_id: `pay_${'0'.repeat(26)}` }, () => false],
        [
          {
            payout_id: `pay_${'0'.repeat(26)}`,
            affiliate_id: second?.id ?? '',
            status: 'approved',
          },
          () => false,
        ],
        [
          {
            affiliate_id: second?.id ?? '',
            program_id: 'prog_b',
            status: 'rejected',
            sale_currency: 'EUR',
          },
          (sale) =>
            sale.affiliate_id === second?.id &&
            sale.status === 'rejected' &&
            sale.sale_currency === 'EUR',
        ],
      ];
      for (const [query, matches] of filters)
        for (const limit of [4, 100])
          expect([
            query,
            ids(await account.all('/v1/conversions', { ...query, limit, sort: 'created_at' })),
          ]).toEqual([query, ids(sales.filter(matches))]);
      expectIssues(
        await api.get('/v1/conversions', { query: { status: 'lost' } }),
        'validation_failed',
        ['status'],
      );
    });

    it('affiliates are filtered by program, status and email, ignoring letter case', async () => {
      const [first, second, third] = affiliates;
      expect(
        ids(await account.all('/v1/affiliates', { program_id: 'prog_b', sort: 'created_at' })),
      ).toEqual([second?.id, third?.id]);
      expect(ids(await account.all('/v1/affiliates', { email: 'cASE@eXAMPLE.COM' }))).toEqual([
        second?.id,
      ]);
      expect(
        ids(
          await account.all('/v1/affiliates', { email: 'case@example.com', program_id: 'prog_a' }),
        ),
      ).toEqual([]);
      await account.update(first as Affiliate, { status: 'approved' });
      expect(ids(await account.all('/v1/affiliates', { status: 'approved' }))).toEqual([first?.id]);
      expect(
        ids(await account.all('/v1/affiliates', { status: 'pending', sort: 'created_at' })),
      ).toEqual([second?.id, third?.id]);
      expectIssues(
        await api.get('/v1/affiliates', { query: { status: 'refunded' } }),
        'validation_failed',
        ['status'],
      );
    });

    it('an invalid cursor is rejected', async () => {
      const { next_cursor: cursor } = await page({ limit: 5 });
      const good = cursor ?? '';
      const broken = [
        'x',
        '',
        'null',
        '0',
        good.slice(1),
        good.slice(0, -3),
        `${good}AAAA`,
        Buffer.from('{}').toString('base64url'),
        Buffer.from('["a","b"]').toString('base64url'),
        good.split('').toReversed().join(''),
      ];
      for (const bad of broken)
        expectIssues(
          await api.get('/v1/conversions', { query: { cursor: bad } }),
          'validation_failed',
          ['cursor'],
        );
    });

    it('a cursor belongs to its filters and sort, not to its limit', async () => {
      const filters = { status: 'pending', sale_currency: 'USD' };
      const { next_cursor: cursor, data } = await page({ ...filters, limit: 5 });
      const next = { cursor: cursor ?? '' };
      const rest = sales
        .filter((sale) => sale.status === 'pending' && sale.sale_currency === 'USD')
        .toReversed()
        .slice(data.length);
      expect(ids((await page({ ...filters, ...next, limit: 9 })).data)).toEqual(
        ids(rest.slice(0, 9)),
      );
      for (const other of [
        {},
        { status: 'pending' },
        { status: 'approved', sale_currency: 'USD' },
        { ...filters, sort: 'created_at' },
        { ...filters, created_after: '2020-01-01T00:00:00.000Z' },
        { ...filters, created_from: '2020-01-01T00:00:00.000Z' },
      ])
        expectIssues(
          await api.get('/v1/conversions', { query: { ...other, ...next } }),
          'validation_failed',
          ['cursor'],
        );
      expectProblem(
        await api.get('/v1/affiliates', { query: { ...next } }),
        422,
        'validation_failed',
      );
    });

    it.each(['created_at', '-created_at'])(
      'reading all pages during writes shows every continuously matching record exactly once (%s)',
      async (sort) => {
        const walker = await TestAccount.open(await service());
        const affiliate = await walker.affiliate();
        const before = await Promise.all(
          Array.from({ length: count }, () => walker.conversion(affiliate.id)),
        );
        const [leaving, staying] = [before.slice(0, count / 4), before.slice(count / 4)];
        let walking = true;
        const writers = [0, 1].map(async (part) => {
          for (let n = 0; walking; n++) {
            await walker.conversion(affiliate.id, { external_transaction_id: uniqueText('late') });
            const sale = leaving[2 * n + part];
            if (sale !== undefined) await walker.update(sale, { status: 'rejected' });
            await walker.update(staying[(2 * n + part) % staying.length] as Conversion, {
              metadata: { touched: String(n) },
            });
            // write no faster than the list is read: otherwise, on a slow store, reads would take
            // longer and longer
            expectStatus(200, await walker.api.get('/v1/conversions', { query: { limit: 1 } }));
          }
        });
        // in ascending order the walk keeps meeting new records and might never end, so it stops at
        // the page that shows the last of the records that stay
        const seen: Conversion[] = [];
        for (let cursor = ''; ;) {
          const { data, next_cursor } = expectStatus(
            200,
            await walker.api.get<Page<Conversion>>('/v1/conversions', {
              query: { status: 'pending', sort, limit: 3, ...(cursor !== '' && { cursor }) },
            }),
          );
          seen.push(...data);
          if (next_cursor === null || staying.every(({ id }) => seen.some((row) => row.id === id)))
            break;
          cursor = next_cursor;
        }
        walking = false;
        await Promise.all(writers);
        expect(new Set(ids(seen)).size).toBe(seen.length);
        expect(staying.filter(({ id }) => !seen.some((row) => row.id === id))).toEqual([]);
        expect(ids(seen)).toEqual(
          ids(sort === 'created_at' ? seen.toSorted(byTime) : seen.toSorted(byTime).toReversed()),
        );
      },
    );
  });
};
