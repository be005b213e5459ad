/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type ApiKey,
  type ApiResponse,
  type Change,
  type Conversion,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';

type AnyRecord = Affiliate | Conversion;
const newest = (record: AnyRecord): string => `/v1/${record.object}s/${record.id}/history`;
const oldestFirst = { sort: 'revision' };

/** Tests that a record's history has each of its changes, exactly. */
export const historySuite = (service: ServiceFactory): void => {
  describe('the history of a record', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    const history = async <T extends AnyRecord>(
      record: T,
      query: Readonly<Record<string, string | number>> = {},
    ): Promise<readonly Change<T>[]> =>
      expectStatus(200, await api.get<Page<Change<T>>>(newest(record), { query })).data;
    const patch = <T extends AnyRecord>(
      record: T,
      change: object,
      headers = {},
    ): Promise<ApiResponse<T>> =>
      api.patch(`/v1/${record.object}s/${record.id}`, change, { headers });

    /** Expects the first change to set everything that the sale was recorded with. */
    const expectFirst = (first: Change<Conversion> | undefined, sale: Conversion): void => {
      const set = (path: string, after: unknown) => ({ path, before: null, after });
      expect(first).toMatchObject({
        type: 'conversion.created',
        revision: 0,
        at: sale.created_at,
        reason: null,
        changes: [
          set('/id', sale.id),
          set('/object', 'conversion'),
          set('/affiliate_id', affiliate.id),
          set('/program_id', affiliate.program_id),
          set('/status', 'pending'),
          set('/occurred_at', sale.created_at),
          set('/sale_amount', sale.sale_amount),
          set('/refunded_amount', 0),
          set('/sale_currency', sale.sale_currency),
          set('/commission_amount', 0),
          set('/commission', sale.commission),
          set('/payable_on', sale.payable_on),
          set('/external_transaction_id', 'history'),
          set('/metadata/campaign', 'spring'),
          set('/metadata/a~1b~0c', '1'),
        ],
      });
    };

    it('has what changed, when, by whom, in which request and why', async () => {
      const sale = await account.conversion(affiliate.id, {
        external_transaction_id: 'history',
        metadata: { campaign: 'spring', 'a/b~c': '1' },
      });
      const { name, api_key, id } = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', { name: 'shop server', scope: 'write' }),
      );
      const server = api.withKey(api_key);
      const approved = await server.patch<Conversion>(
        `/v1/conversions/${sale.id}`,
        {
          status: 'approved',
          reason: 'paid',
          sale_amount: 7,
          metadata: { campaign: 'fall', new: '' },
        },
        { headers: { 'x-request-id': 'order 4711' } },
      );
      const record = expectStatus(200, approved);

      const [latest, first, ...more] = await history(sale);
      expect(more).toEqual([]);
      expect(latest).toEqual({
        id: like.id('evt'),
        object: 'change',
        type: 'conversion.approved',
        revision: 1,
        position: approved.header('refledger-position'),
        at: record.updated_at,
        actor: { type: 'api_key', id, name },
        request_id: 'sha256-326b6f65e1b3a7b89818d0fa0d99bc90',
        reason: 'paid',
        changes: [
          { path: '/status', before: 'pending', after: 'approved' },
          { path: '/sale_amount', before: sale.sale_amount, after: 7 },
          { path: '/metadata/campaign', before: 'spring', after: 'fall' },
          { path: '/metadata/a~1b~0c', before: '1', after: null },
          { path: '/metadata/new', before: null, after: '' },
        ],
      });
      expectFirst(first, sale);
    });

    it('has the changes to an affiliate, and no reason but the one given with a change', async () => {
      const ada = await account.affiliate({ name: 'Ada' });
      const email = uniqueEmail();
      await account.update(ada, { status: 'rejected', reason: 'spam' });
      await account.update(ada, { name: 'Ada L.', email });
      await account.update(ada, { status: 'approved' });
      await account.update(ada, { status: 'approved', reason: 'no change' });
      expect(
        (await history(ada, oldestFirst))
          .slice(1)
          .map(({ type, revision, reason, changes }) => ({ type, revision, reason, changes })),
      ).toEqual([
        {
          type: 'affiliate.rejected',
          revision: 1,
          reason: 'spam',
          changes: [{ path: '/status', before: 'pending', after: 'rejected' }],
        },
        {
          type: 'affiliate.updated',
          revision: 2,
          reason: null,
          changes: [
            { path: '/email', before: ada.email, after: email },
            { path: '/name', before: 'Ada', after: 'Ada L.' },
          ],
        },
        {
          type: 'affiliate.approved',
          revision: 3,
          reason: null,
          changes: [{ path: '/status', before: 'rejected', after: 'approved' }],
        },
      ]);
    });

    it('has the reason for each refund and commission, even if it was given before', async () => {
      const sale = await account.conversion(affiliate.id);
      const reason = 'broken';
      for (const change of [
        { status: 'approved', reason },
        { refunded_amount: 1, reason },
        { refunded_amount: 2, reason },
        { commission_amount: 5 },
        { commission_amount: 6, reason },
        { status: 'approved', metadata: { a: '1' }, reason },
      ])
        await account.update(sale, change);
      expect((await history(sale, oldestFirst)).slice(1).map((change) => change.reason)).toEqual([
        ...[reason, reason, reason, null, reason],
        // the same status again ignores its reason
        null,
      ]);
    });

    it('with include=record has the record as each request returned it', async () => {
      const created = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
      const ada = expectStatus(201, created);
      const responses: ApiResponse<AnyRecord>[] = [created];
      for (const change of [
        { metadata: { a: '1' } },
        { status: 'approved' },
        { metadata: {} },
        { status: 'suspended', reason: 'paused' },
        { status: 'approved' },
      ])
        responses.push(await patch(ada, change));
      const shown = await history(ada, { include: 'record', ...oldestFirst });
      expect(shown.map(({ record, position }) => ({ record, position }))).toEqual(
        responses.map(({ body, header }) => ({
          record: body,
          position: header('refledger-position'),
        })),
      );
      const [latest] = await history(ada, { include: 'record', limit: 1 });
      expect(latest).toEqual(shown.at(-1));
      const { record: _, ...withoutRecord } = shown[0] ?? {};
      expect((await history(ada, oldestFirst))[0]).toEqual(withoutRecord);
    });

    it('is never behind, and names the position that it reflects', async () => {
      let sale = await account.conversion(affiliate.id);
      for (let n = 0; n < 20; n++) {
        const response = await patch(sale, { metadata: { n: `${n}` } });
        sale = expectStatus(200, response);
        const read = await api.get<Page<Change>>(newest(sale), { query: { limit: 1 } });
        expect(expectStatus(200, read).data[0]?.revision).toBe(sale.revision);
        expect(read.header('refledger-position')).toBe(response.header('refledger-position'));
        expect(read.header('etag')).toBeUndefined();
      }
    });

    it.each(['revision', '-revision'])(
      'sorted by %s has each change once on its pages, while others are made',
      async (sort) => {
        let sale = await account.conversion(affiliate.id);
        for (let n = 0; n < 9; n++) sale = await account.update(sale, { metadata: { n: `${n}` } });
        const revisions: number[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const query = { sort, limit: 3, ...(cursor !== '' && { cursor }) };
          const page: Page<Change> = expectStatus(
            200,
            await api.get<Page<Change>>(newest(sale), { query }),
          );
          revisions.push(...page.data.map(({ revision }) => revision));
          expect(page.has_more).toBe(page.next_cursor !== null);
          cursor = page.next_cursor;
          if (revisions.length < 12)
            await account.update(sale, { metadata: { after: cursor ?? '' } });
        }
        const last = sort === 'revision' ? Math.max(...revisions) : sale.revision;
        const all = Array.from({ length: last + 1 }, (_, revision) => revision);
        expect(revisions).toEqual(sort === 'revision' ? all : all.reverse());
        expect(last).toBeGreaterThanOrEqual(sale.revision);
      },
    );

    it('shows 25 changes unless limit says otherwise', async () => {
      const sale = await account.conversion(affiliate.id);
      for (let n = 0; n < 26; n++) await account.update(sale, { metadata: { n: `${n}` } });
      expect((await history(sale)).map(({ revision }) => revision)).toEqual(
        Array.from({ length: 25 }, (_, n) => 26 - n),
      );
      expect(await history(sale, { limit: 100 })).toHaveLength(27);
    });

    it('does not show the name of a revoked key', async () => {
      const key = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', { name: 'temporary', scope: 'write' }),
      );
      const ada = expectStatus(
        201,
        await api.withKey(key.api_key).post<Affiliate>('/v1/affiliates', affiliateBody()),
      );
      const actor = async (): Promise<unknown> => (await history(ada))[0]?.actor;
      expect(await actor()).toEqual({ type: 'api_key', id: key.id, name: 'temporary' });
      expectStatus(204, await api.delete(`/v1/api-keys/${key.id}`));
      expect(await actor()).toEqual({ type: 'api_key', id: key.id, name: null });
    });

    it('ends with the record: a deleted affiliate has none', async () => {
      const ada = await account.affiliate();
      expectStatus(204, await api.delete(`/v1/affiliates/${ada.id}`));
      expectProblem(await api.get(newest(ada)), 404, 'not_found');
      expectProblem(await api.get('/v1/affiliates/aff_1/history'), 404, 'not_found');
    });

    it.each([
      { limit: 0 },
      { limit: 101 },
      { sort: 'created_at' },
      { include: 'records' },
      { cursor: 'x' },
      { cursor: '' },
    ])('refuses %j', async (query) => {
      const response = await api.get(newest(affiliate), { query });
      expectIssues(response, 'validation_failed', Object.keys(query));
    });

    it('refuses unknown parameters, and a cursor of another history or sort', async () => {
      for (const name of ['as_of', 'created_after', 'created_from', 'status'])
        expectIssues(
          await api.get(newest(affiliate), { query: { [name]: '1' } }),
          'unknown_field',
          [name],
        );
      const [ada, bob] = [await account.affiliate(), await account.affiliate()];
      for (const each of [ada, bob]) await account.update(each, { name: 'New' });
      const query = { limit: 1 };
      const { next_cursor } = expectStatus(
        200,
        await api.get<Page<Change>>(newest(ada), { query }),
      );
      const cursor = next_cursor ?? '';
      for (const [record, others] of [
        [bob, {}],
        [ada, oldestFirst],
      ] as const)
        expectIssues(
          await api.get(newest(record), { query: { cursor, ...others } }),
          'validation_failed',
          ['cursor'],
        );
      expectStatus(200, await api.get(newest(ada), { query: { cursor } }));
    });
  });
};
