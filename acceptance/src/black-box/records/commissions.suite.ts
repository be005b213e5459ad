/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type Program,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

const noTerms = { terms_version: null, type: null, rate_bps: null };
const explicit = { source: 'explicit', ...noTerms, why: 'explicit' };

/** Tests what conversions earn: under the terms of their program, and explicitly. */
export const commissionsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
  };
  /** Makes a program with these terms, and an approved affiliate in it. */
  const underTerms = async (
    terms: object | null,
  ): Promise<{ readonly program: Program; readonly affiliate: Affiliate }> => {
    const program = await account.program({ terms });
    const affiliate = await account.affiliate({ program_id: program.id });
    return { program, affiliate: await account.update(affiliate, { status: 'approved' }) };
  };
  const patch = (id: string, change: object): Promise<ApiResponse<Conversion>> =>
    api.patch(`/v1/conversions/${id}`, change);

  describe('the commission of a conversion', () => {
    beforeAll(prepare);

    it.each([
      [125, 2_000, 25],
      [24, 1_000, 2],
      [25, 1_000, 3],
      [999_999_999_999, 3_333, 333_300_000_000],
      [999_999_999_999, 10_000, 999_999_999_999],
      [0, 10_000, 0],
      [4_950, 0, 0],
    ])('of %i at %i basis points is %i, in any currency', async (sale_amount, rate_bps, amount) => {
      const { affiliate } = await underTerms({ type: 'percentage', rate_bps });
      for (const sale_currency of ['USD', 'jpy', 'KWD']) {
        const sale = await account.conversion(affiliate.id, { sale_amount, sale_currency });
        expect(sale).toMatchObject({
          status: 'pending',
          refunded_amount: 0,
          commission_amount: amount,
          commission: {
            source: 'program',
            terms_version: 1,
            type: 'percentage',
            rate_bps,
            why: 'applied',
          },
        });
        expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
      }
    });

    it.each([
      ['USD', 500, 'applied'],
      ['EUR', 300, 'capped'],
      ['JPY', 0, 'no_amount_in_currency'],
    ])('in %s is a flat amount, if there is one, up to the cap', async (currency, amount, why) => {
      const { affiliate } = await underTerms({
        type: 'flat',
        amounts: { usd: 500, eur: 500 },
        caps: { EUR: 300 },
      });
      expect(await account.conversion(affiliate.id, { sale_currency: currency })).toMatchObject({
        commission_amount: amount,
        commission: { source: 'program', terms_version: 1, type: 'flat', rate_bps: null, why },
      });
    });

    it('is at most the cap, for a percentage too', async () => {
      const { affiliate } = await underTerms({
        type: 'percentage',
        rate_bps: 1_000,
        caps: { USD: 100 },
      });
      for (const [sale_amount, commission_amount, why] of [
        [1_000, 100, 'applied'],
        [1_005, 100, 'capped'],
        [5_000, 100, 'capped'],
      ] as const)
        expect(await account.conversion(affiliate.id, { sale_amount })).toMatchObject({
          commission_amount,
          commission: { why },
        });
    });

    it('is 0 without terms', async () => {
      const { affiliate } = await underTerms(null);
      expect(await account.conversion(affiliate.id)).toMatchObject({
        commission_amount: 0,
        commission: { source: 'none', ...noTerms, why: 'no_terms' },
      });
    });

    it('follows the terms in the latest response, and leaves earlier sales unchanged', async () => {
      const { program, affiliate } = await underTerms(null);
      const sales: Conversion[] = [];
      for (let n = 1; n <= 20; n++) {
        await account.update(program, { terms: { type: 'percentage', rate_bps: n * 100 } });
        const sale = await account.conversion(affiliate.id, { sale_amount: 10_000 });
        expect(sale).toMatchObject({
          commission_amount: n * 100,
          commission: { terms_version: n, rate_bps: n * 100 },
        });
        sales.push(sale);
      }
      await account.update(program, { terms: null });
      for (const [index, sale] of sales.entries()) {
        const { commission } = sale;
        const path = `/v1/conversions/${sale.id}`;
        expect((await api.get(path)).body).toEqual(sale);
        const rate = (index + 1) * 100;
        expect(await account.update(sale, { status: 'approved' })).toMatchObject({
          commission_amount: rate,
          commission,
        });
        expect(await account.update(sale, { refunded_amount: 5_000 })).toMatchObject({
          commission_amount: rate / 2,
          commission,
        });
      }
    });

    it('follows the terms of the affiliate, if it has any of its own', async () => {
      const { program, affiliate } = await underTerms({
        type: 'percentage',
        rate_bps: 2_000,
        hold_days: 10,
      });
      const sell = async () => {
        const sale = await account.conversion(affiliate.id);
        const { source, terms_version, why } = sale.commission;
        const heldDays =
          (Date.parse(sale.payable_on) - Date.parse(sale.occurred_at.slice(0, 10))) / 86_400_000;
        return [sale.commission_amount, source, terms_version, why, heldDays];
      };
      const before = await account.conversion(affiliate.id);
      const flat = { type: 'flat', amounts: { USD: 700 } };
      await account.update(affiliate, { commission: flat });
      expect(await sell()).toEqual([700, 'affiliate', 1, 'applied', 10]);
      await account.update(program, { terms: { type: 'percentage', rate_bps: 1, hold_days: 20 } });
      expect(await sell()).toEqual([700, 'affiliate', 1, 'applied', 20]);
      await account.update(affiliate, { commission: { ...flat, hold_days: 0 } });
      expect(await sell()).toEqual([700, 'affiliate', 2, 'applied', 0]);
      await account.update(affiliate, { commission: null });
      expect(await sell()).toEqual([0, 'program', 2, 'applied', 20]);
      expect(await account.update(before, { sale_amount: 100 })).toMatchObject({
        commission_amount: 20,
        commission: before.commission,
        payable_on: before.payable_on,
      });
    });

    it('is calculated again from another amount, under the terms it was recorded with', async () => {
      const { program, affiliate } = await underTerms({ type: 'percentage', rate_bps: 2_000 });
      const sale = await account.conversion(affiliate.id, { sale_amount: 100 });
      await account.update(program, { terms: { type: 'percentage', rate_bps: 1 } });
      expect(await account.update(sale, { sale_amount: 1_000 })).toMatchObject({
        commission_amount: 200,
        commission: sale.commission,
      });
    });
  });

  describe('an explicit commission', () => {
    beforeAll(prepare);

    it.each([0, 1, 999_999_999_999])('of %i is earned, whatever the terms say', async (amount) => {
      const { affiliate } = await underTerms({ type: 'percentage', rate_bps: 2_000 });
      const sale = await account.conversion(affiliate.id, { commission_amount: amount });
      expect(sale).toMatchObject({ commission_amount: amount, commission: explicit });
      const other = await account.conversion(affiliate.id);
      expect(await account.update(other, { commission_amount: amount })).toMatchObject({
        commission_amount: amount,
        commission: explicit,
        revision: 1,
      });
    });

    it.each([-1, 1.5, '1', 1_000_000_000_000, true])('of %j is refused', async (amount) => {
      const { affiliate } = await underTerms(null);
      const path = ['/commission_amount'];
      const body = conversionBody(affiliate.id, { commission_amount: amount });
      expectIssues(await api.post('/v1/conversions', body), 'validation_failed', path);
      const { id } = await account.conversion(affiliate.id);
      expectIssues(await patch(id, { commission_amount: amount }), 'validation_failed', path);
    });

    it('of null is refused for a new conversion, and returns an existing one to its terms', async () => {
      const { program, affiliate } = await underTerms({ type: 'percentage', rate_bps: 2_000 });
      const body = conversionBody(affiliate.id, { commission_amount: null });
      expectIssues(await api.post('/v1/conversions', body), 'validation_failed', [
        '/commission_amount',
      ]);
      const sale = await account.conversion(affiliate.id, { commission_amount: 7 });
      await account.update(program, { terms: null });
      const back = await account.update(sale, { commission_amount: null, reason: 'a mistake' });
      expect(back).toMatchObject({
        commission_amount: 990,
        commission: { source: 'program', terms_version: 1, why: 'applied' },
        reason: 'a mistake',
        revision: 1,
      });
      expect(await account.update(sale, { commission_amount: null })).toEqual(back);
    });

    it('can be set in any status but refunded', async () => {
      const { affiliate } = await underTerms({ type: 'percentage', rate_bps: 2_000 });
      for (const steps of [[], ['approved'], ['rejected']]) {
        const sale = await account.conversion(affiliate.id);
        for (const status of steps) await account.update(sale, { status });
        expect(await account.update(sale, { commission_amount: 7 })).toMatchObject({
          status: steps.at(-1) ?? 'pending',
          commission_amount: 7,
        });
      }
      const { id } = await account.conversion(affiliate.id);
      expectStatus(200, await patch(id, { status: 'approved' }));
      const both = { status: 'refunded', commission_amount: 7 };
      expectProblem(await patch(id, both), 409, 'invalid_transition');
      const refunded = expectStatus(200, await patch(id, { status: 'refunded' }));
      expectProblem(await patch(id, { commission_amount: 7 }), 409, 'invalid_transition');
      expect((await api.get(`/v1/conversions/${id}`)).body).toEqual(refunded);
      const again = { status: 'approved', commission_amount: 7 };
      expect(expectStatus(200, await patch(id, again))).toMatchObject({ commission_amount: 7 });
    });

    it('is compared as it was sent when a sale is sent again', async () => {
      const { affiliate } = await underTerms({ type: 'percentage', rate_bps: 2_000 });
      const send = (over: object): Promise<ApiResponse<Conversion>> =>
        api.post('/v1/conversions', conversionBody(affiliate.id, over));
      const [plain, with7] = [uniqueText('sale'), uniqueText('sale')].map((name) => ({
        external_transaction_id: name,
      }));
      const first = expectStatus(201, await send({ ...plain }));
      expectStatus(201, await send({ ...with7, commission_amount: 7 }));
      for (const [sale, amount] of [
        [plain, first.commission_amount],
        [with7, undefined],
        [with7, 8],
      ] as const)
        expectProblem(await send({ ...sale, commission_amount: amount }), 409, 'conversion_exists');
      await account.update(first, { commission_amount: 5 });
      expect(expectStatus(200, await send({ ...plain })).commission_amount).toBe(5);
      expect(expectStatus(200, await send({ ...with7, commission_amount: 7 }))).toMatchObject({
        commission_amount: 7,
      });
    });
  });
};
