/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

/** Tests records as of a position of the event log. */
export const asOfSuite = (service: ServiceFactory): void => {
  describe('a record as of a position', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    const positionOf = ({ header }: ApiResponse): string => header('refledger-position') ?? '';
    const read = <T>(path: string, as_of: string, client = api): Promise<ApiResponse<T>> =>
      client.get(path, { query: { as_of } });
    const impatient = async (): Promise<ApiClient> =>
      (await account.atGateway(await (await service()).impatient())).api;

    it('is the record that the write at this position returned', async () => {
      const responses: ApiResponse<Affiliate | Conversion>[] = [
        await api.post<Affiliate>('/v1/affiliates', affiliateBody()),
        await api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id)),
      ];
      const paths = responses.map(({ body }) => `/v1/${body.object}s/${body.id}`);
      for (const change of [
        { metadata: { a: '1' } },
        { status: 'approved', reason: 'known' },
        { metadata: {} },
      ])
        for (const path of paths) responses.push(await api.patch(path, change));
      responses.push(await api.patch(paths[0] ?? '', { email: uniqueEmail(), name: 'New' }));
      responses.push(await api.patch(paths[1] ?? '', { status: 'refunded' }));

      for (const [n, response] of responses.entries()) {
        const { object, id } = response.body;
        const position = positionOf(response);
        const then = await read(`/v1/${object}s/${id}`, position);
        expect([n, expectStatus(200, then)]).toEqual([n, response.body]);
        expect([then.header('refledger-as-of'), then.header('etag')]).toEqual([
          position,
          undefined,
        ]);
        expect(positionOf(then)).toBe(position);
      }
    });

    it('stays what it was until its next change, whatever else is written', async () => {
      const sale = await account.conversion(affiliate.id);
      const path = `/v1/conversions/${sale.id}`;
      const between = positionOf(await api.post('/v1/affiliates', affiliateBody()));
      expect(expectStatus(200, await read(path, between))).toEqual(sale);
      const changed = await account.update(sale, { status: 'approved' });
      expect(expectStatus(200, await read(path, between))).toEqual(sale);
      const now = positionOf(await api.post('/v1/affiliates', affiliateBody()));
      expect(expectStatus(200, await read(path, now))).toEqual(changed);
      const plain = await api.get(path);
      expect([plain.header('refledger-as-of'), plain.header('etag')]).toEqual([undefined, '"1"']);
    });

    it('does not exist before it was created: 404', async () => {
      const before = positionOf(await api.post('/v1/affiliates', affiliateBody()));
      const sale = await account.conversion(affiliate.id);
      const ada = await account.affiliate();
      for (const path of [`/v1/conversions/${sale.id}`, `/v1/affiliates/${ada.id}`])
        for (const position of [before, '0'])
          expectProblem(await read(path, position), 404, 'not_found');
    });

    it('is gone at every position once an affiliate is deleted: 404', async () => {
      const created = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
      const path = `/v1/affiliates/${created.body.id}`;
      const deleted = await api.delete(path);
      for (const response of [created, deleted])
        expectProblem(await read(path, positionOf(response)), 404, 'not_found');
    });

    it('beyond the end of the log is refused, if the engine knows its end for certain', async () => {
      const { id } = await account.conversion(affiliate.id);
      const ahead = ['999999999999', '99999999999999999999'];
      const client = await impatient();
      const reads = ahead.map((position) => read(`/v1/conversions/${id}`, position, client));
      for (const response of await Promise.all(reads)) {
        if (response.status === 503)
          expect(expectProblem(response, 503, 'read_model_behind').detail).toMatch(
            /its node is behind, or the position is beyond the end of the log/,
          );
        else expectIssues(response, 'validation_failed', ['as_of']);
      }
    });

    it('also reflects Refledger-Min-Position', async () => {
      const sale = await account.conversion(affiliate.id);
      const path = `/v1/conversions/${sale.id}`;
      const created = positionOf(await api.get(path));
      const changed = positionOf(await api.patch(path, { status: 'approved' }));
      const get = (min: string, client = api) =>
        client.get(path, { query: { as_of: created }, headers: { 'refledger-min-position': min } });
      const response = await get(changed);
      expect(expectStatus(200, response)).toEqual(sale);
      expect([positionOf(response), response.header('refledger-as-of')]).toEqual([
        changed,
        created,
      ]);
      expectProblem(await get('999999999999', await impatient()), 503, 'read_model_behind');
    });

    it.each(['', '-1', '1.5', '01', '1e3', 'now', '123456789012345678901', '2026-11-24'])(
      'refuses "%s", which is neither a position nor a time',
      async (as_of) => {
        const response = await read(`/v1/affiliates/${affiliate.id}`, as_of);
        expectIssues(response, 'validation_failed', ['as_of']);
        expect(response.text).toContain('must be a position of the event log');
      },
    );

    it('is for reading one record only', async () => {
      const query = { as_of: '1' };
      const path = `/v1/affiliates/${affiliate.id}`;
      for (const response of [
        await api.get('/v1/conversions', { query }),
        await api.get(`${path}/stats`, { query }),
        await api.get('/v1/account', { query }),
        await api.patch(path, { name: 'New' }, { query }),
      ])
        expectIssues(response, 'unknown_field', ['as_of']);
    });
  });
};
