/// <reference types="jest" />
import {
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { itReads } from '../it-reads.js';

/** Tests programs that approve conversions automatically. */
export const automaticApprovalSuite = (service: ServiceFactory): void => {
  describe('automatic approval of conversions', () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));
    const affiliateIn = async (program: object, status?: string) => {
      const { id: program_id } = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000 },
        ...program,
      });
      const affiliate = await account.affiliate({ program_id });
      return status === undefined ? affiliate : account.update(affiliate, { status });
    };
    const automatic = { conversion_approval: 'automatic' };
    const send = (id: string, over: object = {}): Promise<ApiResponse<Conversion>> =>
      account.api.post('/v1/conversions', conversionBody(id, over));

    it('one POST returns an approved conversion, and so does the same POST again', async () => {
      const { id } = await affiliateIn(automatic, 'approved');
      const over = { external_transaction_id: uniqueText('sale') };
      const response = await send(id, over);
      const sale = expectStatus(201, response);
      expect(sale).toMatchObject({
        status: 'approved',
        commission_amount: 990,
        reason: null,
        approved_at: sale.created_at,
        updated_at: sale.created_at,
        revision: 1,
      });
      expect(response.header('etag')).toBe('"1"');
      const again = await send(id, over);
      expect(expectStatus(200, again)).toEqual(sale);
      expect(again.header('idempotent-replayed')).toBe('true');
      expect((await account.api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
    });

    it('a conversion of a pending affiliate stays pending, whatever happens to the affiliate', async () => {
      const affiliate = await affiliateIn(automatic);
      const sale = expectStatus(201, await send(affiliate.id));
      expect(sale).toMatchObject({ status: 'pending', approved_at: null, revision: 0 });
      await account.update(affiliate, { status: 'approved' });
      expect((await account.api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
      expect(expectStatus(201, await send(affiliate.id)).status).toBe('approved');
    });

    it('a program without it leaves conversions pending', async () => {
      const { id } = await affiliateIn({}, 'approved');
      expect(expectStatus(201, await send(id)).status).toBe('pending');
    });

    it('the history has both events, with one time', async () => {
      const { id } = await affiliateIn(automatic, 'approved');
      const sale = expectStatus(201, await send(id));
      const path = `/v1/conversions/${sale.id}`;
      const changes = await account.all<{ type: string; at: string; position: string }>(
        `${path}/history`,
        { sort: 'revision' },
      );
      expect(changes).toMatchObject([
        { type: 'conversion.created', revision: 0, at: sale.created_at },
        {
          type: 'conversion.approved',
          revision: 1,
          at: sale.created_at,
          changes: [{ path: '/status', before: 'pending', after: 'approved' }],
        },
      ]);
      const [created] = changes;
      const then = await account.api.get(path, { query: { as_of: created?.position ?? '' } });
      expect(then.body).toMatchObject({ status: 'pending', revision: 0 });
    });

    itReads(service)('no list and no statistics ever show it as pending', async () => {
      const { id } = await affiliateIn(automatic, 'approved');
      for (let n = 1; n <= 10; n++) {
        const sales = await Promise.all(Array.from({ length: 4 }, () => send(id)));
        const rows = await account.all<Conversion>('/v1/conversions', { affiliate_id: id });
        expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'approved'));
        expect(rows.map((row) => row.id)).toEqual(
          expect.arrayContaining(sales.map(({ body }) => body.id)),
        );
        const stats = await account.api.get(`/v1/affiliates/${id}/stats`);
        expect(stats.body).toMatchObject({
          conversions: { total: 4 * n, pending: 0, approved: 4 * n },
          currencies: [{ commission_amount: { approved: 4 * n * 990, pending: 0 } }],
        });
      }
    });
  });
};
