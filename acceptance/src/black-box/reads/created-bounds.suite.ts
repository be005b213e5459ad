/// <reference types="jest" />
import {
  type ApiClient,
  type Conversion,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

type Query = Readonly<Record<string, string | number>>;
const byTime = (a: Conversion, b: Conversion): number =>
  a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1;

/** Tests the bounds on when the records of a list were created. */
export const createdBoundsSuite = (service: ServiceFactory): void => {
  describe('bounds on created_at', () => {
    let account: TestAccount;
    let api: ApiClient;
    let sales: Conversion[];
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      const { id } = await account.affiliate();
      const made = await Promise.all(Array.from({ length: 20 }, () => account.conversion(id)));
      sales = made.toSorted(byTime);
    });

    const page = async (query: Query = {}): Promise<Page<Conversion>> =>
      expectStatus(200, await api.get<Page<Conversion>>('/v1/conversions', { query }));
    const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

    it('times may have t and z in lower case, and a second 60', async () => {
      const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
      for (const time of [`${day}t00:00:00z`, `${day}T23:59:60Z`, `${day}t23:59:60.5+01:00`]) {
        expect(await account.all('/v1/conversions', { created_before: time })).toHaveLength(20);
        expect(await account.all('/v1/conversions', { created_after: time })).toEqual([]);
        expectProblem(
          await api.get(`/v1/conversions/${sales[0]?.id}`, { query: { as_of: time } }),
          422,
          'validation_failed',
        );
      }
      const asOf = await api.get<Conversion>(`/v1/conversions/${sales[0]?.id}`, {
        query: { as_of: sales[19]?.created_at.toLowerCase() ?? '' },
      });
      expect(expectStatus(200, asOf).id).toBe(sales[0]?.id);
    });

    it('created_after and created_before are exclusive', async () => {
      const [early, late] = [sales[5]?.created_at ?? '', sales[15]?.created_at ?? ''];
      expect(
        ids(await account.all('/v1/conversions', { sort: 'created_at', created_after: early })),
      ).toEqual(ids(sales.filter((sale) => sale.created_at > early)));
      expect(
        ids(await account.all('/v1/conversions', { sort: 'created_at', created_before: late })),
      ).toEqual(ids(sales.filter((sale) => sale.created_at < late)));
      expect(
        ids(
          await account.all('/v1/conversions', {
            sort: 'created_at',
            created_after: early,
            created_before: late,
            limit: 3,
          }),
        ),
      ).toEqual(ids(sales.filter(({ created_at: at }) => at > early && at < late)));
      expect(
        await account.all('/v1/conversions', { created_after: late, created_before: early }),
      ).toEqual([]);
      for (const time of ['yesterday', '2024-13-01T00:00:00Z', '2024-01-01', '', '5']) {
        expectIssues(
          await api.get('/v1/conversions', { query: { created_after: time } }),
          'validation_failed',
          ['created_after'],
        );
        expectIssues(
          await api.get('/v1/affiliates', { query: { created_before: time } }),
          'validation_failed',
          ['created_before'],
        );
      }
    });

    it('created_from includes its instant, created_to excludes it, to the microsecond', async () => {
      const [early, late] = [sales[5]?.created_at ?? '', sales[15]?.created_at ?? ''];
      const list = async (query: Query): Promise<string[]> =>
        ids(await account.all('/v1/conversions', { sort: 'created_at', limit: 20, ...query }));
      const idsWhere = (matches: (created_at: string) => boolean): string[] =>
        ids(sales.filter(({ created_at }) => matches(created_at)));
      // the same instant at another offset, and a microsecond later
      const moved = new Date(Date.parse(early) + 3_600_000).toISOString().replace('Z', '+01:00');
      const later = early.replace('Z', '001Z');
      for (const created_from of [early, moved, early.replace('Z', '000Z')])
        expect(await list({ created_from })).toEqual(idsWhere((at) => at >= early));
      for (const created_to of [early, moved, early.replace('Z', '000Z')])
        expect(await list({ created_to })).toEqual(idsWhere((at) => at < early));
      expect(await list({ created_from: later })).toEqual(idsWhere((at) => at > early));
      expect(await list({ created_to: later })).toEqual(idsWhere((at) => at <= early));
      expect(await list({ created_from: early, created_to: late })).toEqual(
        idsWhere((at) => at >= early && at < late),
      );
      expect(await list({ created_after: early, created_to: late })).toEqual(
        idsWhere((at) => at > early && at < late),
      );
      expect(await list({ created_from: late, created_to: early })).toEqual([]);
      // periods that follow one another have every record once
      const periods: readonly Query[] = [
        { created_to: early },
        { created_from: early, created_to: late },
        { created_from: late },
      ];
      const parts = await Promise.all(periods.map(list));
      expect(parts.flat()).toEqual(ids(sales));
    });

    it('are taken by every list of records: created_from and created_to, and one bound at each end', async () => {
      for (const name of [
        'conversions',
        'affiliates',
        'programs',
        'adjustments',
        'balances',
        'entries',
        'payouts',
        'payout-runs',
        'webhooks',
        'api-keys',
      ]) {
        const path = `/v1/${name}`;
        const [first] = await account.all<{ readonly id: string; readonly created_at: string }>(
          path,
        );
        const at = first?.created_at ?? '2026-01-01T00:00:00Z';
        const found = async (query: Query): Promise<boolean> =>
          (await account.all<{ readonly id: string }>(path, query)).some(
            ({ id }) => id === first?.id,
          );
        expect([name, await found({ created_from: at })]).toEqual([name, first !== undefined]);
        expect([name, await found({ created_to: at })]).toEqual([name, false]);
        for (const [bound, other] of [
          ['created_from', 'created_after'],
          ['created_to', 'created_before'],
        ] as const) {
          const both = { [bound]: at, [other]: at };
          expectIssues(await api.get(path, { query: both }), 'validation_failed', [bound]);
          expectIssues(await api.get(path, { query: { [bound]: 'now' } }), 'validation_failed', [
            bound,
          ]);
        }
      }
    });

    it('bounds may have any time in the years 1 to 9999 in UTC', async () => {
      for (const created_after of ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])
        expectIssues(
          await api.get('/v1/conversions', { query: { created_after } }),
          'validation_failed',
          ['created_after'],
        );
      const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999Z'];
      const shown = async (query: Query): Promise<number> =>
        (await page({ limit: 100, ...query })).data.length;
      expect([await shown({ created_before: last }), await shown({ created_after: last })]).toEqual(
        [sales.length, 0],
      );
      expect([
        await shown({ created_from: first, created_to: last }),
        await shown({ created_from: last }),
        await shown({ created_to: first }),
      ]).toEqual([sales.length, 0, 0]);
      expect([
        await shown({ created_after: first }),
        await shown({ created_before: first }),
      ]).toEqual([sales.length, 0]);
      const keys = async (query: Query): Promise<number> =>
        expectStatus(200, await api.get<Page<unknown>>('/v1/api-keys', { query })).data.length;
      expect([await keys({ created_before: last }), await keys({ created_after: last })]).toEqual([
        1, 0,
      ]);
    });
  });
};
