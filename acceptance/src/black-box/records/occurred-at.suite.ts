/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

const minuteMs = 60_000;

/** Tests when a sale occurred, and when its commission is payable. */
export const occurredAtSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);

  describe('the time of a sale', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );
    const send = (over: object): Promise<ApiResponse<Conversion>> =>
      api.post('/v1/conversions', conversionBody(affiliate.id, over));
    const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

    it('is when it is recorded, unless another one is sent', async () => {
      const sale = await account.conversion(affiliate.id);
      expect(sale.occurred_at).toBe(sale.created_at);
      expect(sale.payable_on).toBe(daysAfter(sale.created_at, 30));
    });

    it.each([
      ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
      ['2026-01-31T09:30:00.1239999Z', '2026-01-31T09:30:00.123Z'],
      ['2026-01-31T23:30:00+02:00', '2026-01-31T21:30:00.000Z'],
      ['2026-01-31T23:30:00.5-05:45', '2026-02-01T05:15:00.500Z'],
      ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z'],
      ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000Z'],
      ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
      ['2016-12-31t18:59:60.5-05:00', '2016-12-31T23:59:59.999Z'],
    ])('that is sent as %s is stored as %s', async (sent, occurred_at) => {
      const sale = expectStatus(201, await send({ occurred_at: sent }));
      expect(sale.occurred_at).toBe(occurred_at);
      expect((await account.update(sale, { status: 'approved' })).occurred_at).toBe(occurred_at);
    });

    it.each([
      '1999-12-31T23:59:59.999Z',
      '2000-01-01T00:00:00+00:01',
      '2026-02-30T00:00:00Z',
      '2026-01-31',
      '2026-01-31T09:30:00',
      '2026-01-31T09:30:61Z',
      'yesterday',
      1_769_851_800_000,
      null,
    ])('cannot be %j', async (occurred_at) => {
      expectIssues(await send({ occurred_at }), 'validation_failed', ['/occurred_at']);
    });

    it('may be up to five minutes ahead', async () => {
      const near = ahead(4 * minuteMs);
      expect(expectStatus(201, await send({ occurred_at: near })).occurred_at).toBe(near);
      const external_transaction_id = uniqueText('sale');
      const far = await send({ occurred_at: ahead(6 * minuteMs), external_transaction_id });
      expectIssues(far, 'validation_failed', ['/occurred_at']);
      expectStatus(201, await send({ occurred_at: near, external_transaction_id }));
    });

    it('decides when the commission is payable, but no more than 366 days back', async () => {
      const { id } = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000, hold_days: 14 },
      });
      const { id: affiliate_id } = await account.affiliate({ program_id: id });
      const { created_at } = await account.conversion(affiliate_id);
      for (const daysBack of [0, 1, 300, 379, 380, 381, 3_000]) {
        const occurred_at = new Date(Date.parse(created_at) - daysBack * 86_400_000).toISOString();
        const sale = await account.conversion(affiliate_id, { occurred_at });
        const earliest = daysAfter(sale.created_at, -366);
        const held = daysAfter(occurred_at, 14);
        expect(sale.payable_on).toBe(held > earliest ? held : earliest);
        expect(await account.update(sale, { status: 'approved' })).toMatchObject({
          occurred_at,
          payable_on: sale.payable_on,
        });
      }
    });

    it.each([
      ['BGN', '2025-06-30T12:00:00Z'],
      ['hrk', '2022-12-31T23:59:59Z'],
      ['HRK', '2024-02-04T23:59:59.999Z'],
      ['ANG', '2024-07-01T00:00:00Z'],
      ['DEM', '2001-12-31T00:00:00Z'],
    ])(
      'may be in a currency that was withdrawn since: %s, %s',
      async (sale_currency, occurred_at) => {
        const sale = expectStatus(201, await send({ sale_currency, occurred_at }));
        expect(sale.sale_currency).toBe(sale_currency.toUpperCase());
        const approved = await account.update(sale, { status: 'approved' });
        expect(await account.update(approved, { status: 'refunded' })).toMatchObject({
          refunded_amount: sale.sale_amount,
        });
      },
    );

    withReads('may be in a withdrawn currency, by which lists are filtered', async () => {
      const { id } = await account.affiliate();
      const occurred_at = '2025-06-30T12:00:00Z';
      const sale = await account.conversion(id, { sale_currency: 'BGN', occurred_at });
      const listed = (sale_currency: string) =>
        account.all('/v1/conversions', { affiliate_id: id, sale_currency });
      expect(await listed('bgn')).toEqual([sale]);
      // only records of earlier releases have it
      expect(await listed('XAU')).toEqual([]);
    });

    it.each([
      [
        'BGN',
        undefined,
        /BGN was withdrawn on 2026-01-01 and followed by EUR\. Send EUR, .* 2027-02-05/,
      ],
      [
        'HRK',
        undefined,
        /HRK was withdrawn on 2023-01-01 and followed by EUR\. Send EUR, .* 2024-02-05/,
      ],
      [
        'HRK',
        '2024-02-05T00:00:00Z',
        /HRK was withdrawn on 2023-01-01 and followed by EUR\. Send EUR/,
      ],
      [
        'ANG',
        '2026-05-05T00:00:00Z',
        /ANG was withdrawn on 2025-03-31 and followed by XCG\. Send XCG/,
      ],
      ['XAU', '2025-06-30T12:00:00Z', /must be a currency with a minor unit, but XAU has none/],
      ['xag', undefined, /must be a currency with a minor unit, but XAG has none/],
      ['XDR', undefined, /minor unit/],
      ['XFU', '2010-01-01T00:00:00Z', /ISO 4217/],
      ['XTS', undefined, /ISO 4217/],
      ['XXX', undefined, /ISO 4217/],
    ])('is not in %s at %s', async (sale_currency, occurred_at, detail) => {
      const refused = await send({ sale_currency, occurred_at });
      expectIssues(refused, 'validation_failed', ['/sale_currency']);
      expect(refused.body).toMatchObject({ detail: like.text(detail) });
    });

    it('is compared as it was sent when the sale is sent again', async () => {
      const [plain, timed] = [uniqueText('sale'), uniqueText('sale')].map((name) => ({
        external_transaction_id: name,
      }));
      const first = expectStatus(201, await send({ ...plain }));
      expect(expectStatus(200, await send({ ...plain }))).toEqual(first);
      const occurred_at = '2026-01-31T09:30:00.123Z';
      const second = expectStatus(201, await send({ ...timed, occurred_at }));
      for (const same of [occurred_at, '2026-01-31T10:30:00.1239+01:00'])
        expect(expectStatus(200, await send({ ...timed, occurred_at: same }))).toEqual(second);
      for (const [sale, other] of [
        [plain, first.occurred_at],
        [timed, undefined],
        [timed, '2026-01-31T09:30:00.124Z'],
      ] as const)
        expectProblem(await send({ ...sale, occurred_at: other }), 409, 'conversion_exists');
    });
  });
};
