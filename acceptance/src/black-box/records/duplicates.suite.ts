/// <reference types="jest" />
import {
  type Affiliate,
  type AffiliateStats,
  type ApiResponse,
  type ApiClient,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests that one `external_transaction_id` names one conversion. */
export const duplicatesSuite = (service: ServiceFactory): void => {
  describe('conversions sent twice', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );
    const post = (over: object): Promise<ApiResponse<Conversion>> =>
      api.post('/v1/conversions', conversionBody(affiliate.id, over));

    it('the same fields return the existing conversion in its current state', async () => {
      const sale = { external_transaction_id: uniqueText('sale'), metadata: { a: '1' } };
      const first = expectStatus(201, await post(sale));
      const again = await post({ ...sale, sale_currency: 'usd' });
      expect([again.status, again.header('idempotent-replayed'), again.body]).toEqual([
        200,
        'true',
        first,
      ]);
      const approved = await account.update(first, { status: 'approved' });
      expect((await post(sale)).body).toEqual(approved);
    });

    it('different fields are rejected, and the problem names the conversion', async () => {
      const sale = { external_transaction_id: uniqueText('sale') };
      const { id } = expectStatus(201, await post(sale));
      const other = await account.affiliate();
      for (const over of [
        { sale_amount: 1 },
        { sale_currency: 'EUR' },
        { metadata: { a: '1' } },
        { affiliate_id: other.id },
      ]) {
        const response = await post({ ...sale, ...over });
        const problem = expectProblem(response, 409, 'conversion_exists');
        const [field] = Object.keys(over);
        expect(problem.conversion_id).toBe(id);
        expect(problem.errors?.map(({ path }) => path)).toEqual([`/${field}`]);
      }
    });

    it('every field that differs is named, with what was sent and what was recorded first', async () => {
      const external_transaction_id = uniqueText('sale');
      const sale = { sale_amount: 5_000, sale_currency: 'usd', metadata: { order: '1' } };
      const first = expectStatus(201, await post({ ...sale, external_transaction_id }));
      // a later change does not count
      await account.update(first, { sale_amount: 4_000, metadata: {} });
      const sent = {
        external_transaction_id,
        sale_amount: 4_000,
        sale_currency: 'eur',
        occurred_at: '2026-01-31T10:30:00.1234+01:00',
        commission_amount: 7,
        customer_id: 'c-17',
      };
      const problem = expectProblem(await post(sent), 409, 'conversion_exists');
      expect(problem.errors?.map(({ message: _, ...issue }) => issue)).toEqual([
        { path: '/sale_amount', code: 'differs', sent: 4_000, stored: 5_000 },
        { path: '/sale_currency', code: 'differs', sent: 'EUR', stored: 'USD' },
        {
          path: '/occurred_at',
          code: 'differs',
          sent: '2026-01-31T09:30:00.123Z',
          stored: null,
        },
        { path: '/commission_amount', code: 'differs', sent: 7, stored: null },
        { path: '/customer_id', code: 'differs', sent: 'c-17', stored: null },
        { path: '/metadata', code: 'differs', sent: {}, stored: { order: '1' } },
      ]);
      expect(problem.detail).toContain(
        'sale_amount, sale_currency, occurred_at, commission_amount, customer_id, metadata',
      );
      const stranger = await TestAccount.withAffiliate(await service());
      const body = conversionBody(stranger.affiliate.id, { external_transaction_id });
      expectStatus(201, await stranger.api.post('/v1/conversions', body));
    });

    it('a repeat is compared with the creating request, not with later changes', async () => {
      const sale = { external_transaction_id: uniqueText('sale') };
      const first = expectStatus(201, await post(sale));
      await account.update(first, { sale_amount: 1 });
      expect(expectStatus(200, await post(sale)).sale_amount).toBe(1);
      expectProblem(await post({ ...sale, sale_amount: 1 }), 409, 'conversion_exists');
    });

    it('a suspended or deleted affiliate does not hide the conversion', async () => {
      const leaving = await account.update(await account.affiliate(), { status: 'approved' });
      const sale = { affiliate_id: leaving.id, external_transaction_id: uniqueText('sale') };
      const { id } = expectStatus(201, await post(sale));
      await account.update(leaving, { status: 'suspended' });
      expect(expectStatus(200, await post(sale)).id).toBe(id);
      expectStatus(204, await api.delete(`/v1/affiliates/${leaving.id}`));
      expect(expectStatus(200, await post(sale)).id).toBe(id);
      expectProblem(await post({ ...sale, sale_amount: 3 }), 409, 'conversion_exists');
    });

    it('ids that differ only in case, Unicode form or spaces are different ids', async () => {
      const name = uniqueText('sale');
      const ids = await Promise.all(
        [name, name.toUpperCase(), `${name} `, `${name}e\u0301`, `${name}\u00e9`].map(
          async (external_transaction_id) =>
            expectStatus(201, await post({ external_transaction_id })).id,
        ),
      );
      expect(new Set(ids).size).toBe(5);
    });

    itReads(service)(
      'a hundred at once make one conversion, and the list and the statistics show one',
      async () => {
        const own = await account.affiliate();
        const sale = { affiliate_id: own.id, external_transaction_id: uniqueText('sale') };
        const responses = await Promise.all(Array.from({ length: 100 }, () => post(sale)));
        expect(responses.map(({ status }) => status).toSorted()).toEqual([
          ...Array<number>(99).fill(200),
          201,
        ]);
        expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
        expect(
          await account.all('/v1/conversions', {
            external_transaction_id: sale.external_transaction_id,
          }),
        ).toEqual([responses[0]?.body]);
        expect(
          (await api.get<AffiliateStats>(`/v1/affiliates/${own.id}/stats`)).body.conversions.total,
        ).toBe(1);
      },
    );

    it('of many concurrent requests that differ, one creates the conversion and the others get its id', async () => {
      const external_transaction_id = uniqueText('sale');
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, n) => post({ external_transaction_id, sale_amount: n })),
      );
      const made = responses.filter(({ status }) => status === 201);
      expect(made).toHaveLength(1);
      for (const response of responses.filter(({ status }) => status !== 201))
        expect(expectProblem(response, 409, 'conversion_exists').conversion_id).toBe(
          made[0]?.body.id,
        );
      expect((await api.get(`/v1/conversions/${made[0]?.body.id}`)).body).toEqual(made[0]?.body);
    });
  });
};
