/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type AffiliateStats,
  type ApiResponse,
  type ApiClient,
  type Conversion,
  conversionBody,
  type Endpoint,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { millisecondAfter } from '../millisecond-after.js';

const positionOf = (response: ApiResponse): bigint =>
  BigInt(response.header('refledger-position') ?? '-1');

/** Tests positions, and that reads show what was just written. */
export const consistencySuite = (service: ServiceFactory): void => {
  describe('reading your writes', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    it('a list and the statistics show every write immediately', async () => {
      for (let written = 1; written <= 30; written++) {
        const sale = await api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id));
        const [list, stats] = await Promise.all([
          api.get<Page<Conversion>>('/v1/conversions', { query: { limit: 1 } }),
          api.get<AffiliateStats>(`/v1/affiliates/${affiliate.id}/stats`),
        ]);
        expect(list.body.data[0]).toEqual(sale.body);
        expect(stats.body.conversions.total).toBe(written);
        for (const read of [list, stats])
          expect(positionOf(read)).toBeGreaterThanOrEqual(positionOf(sale));
        expect(BigInt(stats.body.position)).toBeGreaterThanOrEqual(positionOf(sale));
        await millisecondAfter(sale.body);
      }
    });

    it('the next list shows every kind of write', async () => {
      const { id } = await account.affiliate({ program_id: 'prog_next' });
      const listed = async () =>
        (await api.get<Page<Affiliate>>('/v1/affiliates', { query: { program_id: 'prog_next' } }))
          .body.data;
      expect((await listed()).map((row) => row.id)).toEqual([id]);
      await account.update({ id, object: 'affiliate' } as Affiliate, { status: 'approved' });
      expect((await listed())[0]?.status).toBe('approved');
      expectStatus(204, await api.delete(`/v1/affiliates/${id}`));
      expect(await listed()).toEqual([]);

      const endpoint = await account.subscribe('http://example.com/next', ['affiliate.created']);
      expect((await account.all<Endpoint>('/v1/webhooks')).map((row) => row.id)).toContain(
        endpoint.id,
      );
      expectStatus(
        204,
        await api.delete('/v1/webhooks/subscribe', { query: { target_url: endpoint.target_url } }),
      );
      expect((await account.all<Endpoint>('/v1/webhooks')).map((row) => row.id)).not.toContain(
        endpoint.id,
      );
    });

    it("a write without an event returns the position of the record's last event", async () => {
      const sale = expectStatus(
        201,
        await api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id)),
      );
      const approval = await api.patch(`/v1/conversions/${sale.id}`, { status: 'approved' });
      await account.conversion(affiliate.id);
      const again = await api.patch(`/v1/conversions/${sale.id}`, { status: 'approved' });
      expect([again.status, positionOf(again)]).toEqual([200, positionOf(approval)]);

      const body = conversionBody(affiliate.id, { external_transaction_id: uniqueText('sale') });
      const first = await api.post('/v1/conversions', body);
      await account.conversion(affiliate.id);
      const replay = await api.post('/v1/conversions', body);
      expect([replay.status, positionOf(replay)]).toEqual([200, positionOf(first)]);
    });

    it('positions rise from write to write', async () => {
      const responses: ApiResponse[] = [];
      for (let n = 0; n < 5; n++) responses.push(await api.post('/v1/affiliates', affiliateBody()));
      const positions = responses.map(positionOf);
      for (const [index, position] of positions.slice(1).entries())
        expect(position).toBeGreaterThan(positions[index] ?? 0n);
    });

    it('Refledger-Min-Position waits for an existing position', async () => {
      const sale = await api.post('/v1/conversions', conversionBody(affiliate.id));
      const reader = await account.withScope('read');
      const list = await reader.get<Page<Conversion>>('/v1/conversions', {
        query: { limit: 1 },
        headers: { 'refledger-min-position': String(positionOf(sale)) },
      });
      expect(expectStatus(200, list).data[0]).toEqual(sale.body);
    });

    it('Refledger-Min-Position in the future returns 503 with Retry-After', async () => {
      const headers = { 'refledger-min-position': '999999999999' };
      const paths = [
        '/v1/conversions',
        '/v1/affiliates',
        '/v1/webhooks',
        `/v1/affiliates/${affiliate.id}/stats`,
      ];
      const { api: impatient } = await account.atGateway(await (await service()).impatient());
      const ahead = paths.map((path) => impatient.get(path, { headers }));
      for (const response of await Promise.all(ahead))
        expectProblem(response, 503, 'read_model_behind');
    });

    it.each(['abc', '-1', '1.5', ''])(
      'Refledger-Min-Position "%s" is not a position',
      async (position) => {
        const response = await api.get('/v1/conversions', {
          headers: { 'refledger-min-position': position },
        });
        expectIssues(response, 'validation_failed', [
          expectProblem(response, 422, 'validation_failed').errors?.[0]?.path ?? 'a path',
        ]);
      },
    );
  });
};
