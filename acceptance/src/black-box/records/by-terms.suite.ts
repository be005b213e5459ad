/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Change,
  type Conversion,
  expectStatus,
  type Page,
  type Program,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { expectIssues, expectProblem } from '../expect-problem.js';

const byTerms = { commission: 'by_terms' };
const terms = { type: 'percentage', rate_bps: 2_000 };
const applied = {
  source: 'program',
  terms_version: 1,
  type: 'percentage',
  rate_bps: 2_000,
  why: 'applied',
};
const noTerms = {
  source: 'none',
  terms_version: null,
  type: null,
  rate_bps: null,
  why: 'no_terms',
};

/** Tests that sales which were recorded without terms can take those in force now. */
export const byTermsSuite = (service: ServiceFactory): void => {
  describe('a sale that was recorded without terms', () => {
    let account: TestAccount;
    let api: ApiClient;
    let program: Program;
    let affiliate: Affiliate;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });
    /** Registers a program by its first affiliate, as a typo in `program_id` does. */
    beforeEach(async () => {
      const program_id = uniqueText('prog_typo');
      affiliate = await account.affiliate({ program_id });
      program = expectStatus(200, await api.get<Program>(`/v1/programs/${program_id}`));
    });

    const patch = (id: string, change: object, options = {}): Promise<ApiResponse<Conversion>> =>
      api.patch(`/v1/conversions/${id}`, change, options);
    const sell = (over: object = {}) =>
      account.conversion(affiliate.id, { sale_amount: 20_000, ...over });
    const setTerms = (to: object | null) => account.update(program, { terms: to });

    it("takes the program's terms when it is asked to, and keeps its day", async () => {
      const sale = await sell({ occurred_at: '2026-01-31T10:00:00Z' });
      expect(sale).toMatchObject({ commission_amount: 0, commission: noTerms });
      await setTerms({ ...terms, hold_days: 0 });
      const change = { ...byTerms, reason: 'prog_sprng was a typo' };
      const changed = expectStatus(200, await patch(sale.id, change));
      expect(changed).toEqual({
        ...sale,
        commission_amount: 4_000,
        commission: applied,
        reason: 'prog_sprng was a typo',
        revision: 1,
        updated_at: changed.updated_at,
      });
      expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(changed);
    });

    it('answers 200 without an event when it is asked again, also after other changes', async () => {
      const sale = await sell();
      await setTerms(terms);
      const first = expectStatus(200, await patch(sale.id, byTerms));
      await setTerms({ ...terms, rate_bps: 1 });
      expect(expectStatus(200, await patch(sale.id, byTerms))).toEqual(first);
      expect(expectStatus(200, await patch(sale.id, { ...byTerms, reason: 'again' }))).toEqual(
        first,
      );
      await account.update(sale, { status: 'approved' });
      const refunded = await account.update(sale, { status: 'refunded' });
      await setTerms(null);
      expect(expectStatus(200, await patch(sale.id, byTerms))).toEqual(refunded);
    });

    it('changes nothing that was recorded with terms', async () => {
      await setTerms(terms);
      const sale = await sell();
      await setTerms({ ...terms, rate_bps: 1 });
      expect(expectStatus(200, await patch(sale.id, byTerms))).toEqual(sale);
    });

    it("takes the affiliate's own terms before the program's", async () => {
      const sale = await sell();
      await setTerms(terms);
      await account.update(affiliate, { commission: { type: 'flat', amounts: { USD: 700 } } });
      expect(await account.update(sale, byTerms)).toMatchObject({
        commission_amount: 700,
        commission: { source: 'affiliate', terms_version: 1, type: 'flat', why: 'applied' },
      });
    });

    it('takes terms that a suspended or deleted affiliate, or an archived program has', async () => {
      const sales = [await sell(), await sell(), await sell()];
      await setTerms(terms);
      await account.update(affiliate, { status: 'approved' });
      const steps = [
        () => account.update(affiliate, { status: 'suspended' }),
        () => account.update(program, { status: 'archived' }),
        () => api.delete(`/v1/affiliates/${affiliate.id}`),
      ];
      for (const [index, step] of steps.entries()) {
        await step();
        expect(await account.update(present(sales[index]), byTerms)).toMatchObject({
          commission: applied,
        });
      }
    });

    it('keeps the terms that it took, for refunds and other amounts too', async () => {
      const sale = await sell();
      await setTerms(terms);
      await account.update(sale, byTerms);
      await setTerms({ ...terms, rate_bps: 1 });
      for (const [change, commission_amount] of [
        [{ sale_amount: 10_000 }, 2_000],
        [{ status: 'approved' }, 2_000],
        [{ refunded_amount: 5_000 }, 1_000],
        [{ commission_amount: 7 }, 7],
        [{ commission_amount: null }, 1_000],
        [{ status: 'refunded' }, 1_000],
        [{ status: 'approved' }, 2_000],
      ] as const)
        expect(await account.update(sale, change)).toMatchObject({ commission_amount });
      expect(await account.update(sale, byTerms)).toMatchObject({ commission: applied });
    });

    it('may change its status and amounts in the same request, which is one event', async () => {
      const sale = await sell();
      await setTerms(terms);
      const change = { ...byTerms, status: 'approved', refunded_amount: 5_000 };
      expect(await account.update(sale, change)).toMatchObject({
        status: 'approved',
        commission_amount: 3_000,
        commission: applied,
        revision: 1,
      });
    });

    it('takes them by the place of the sale among the sales to its customer', async () => {
      const customer_id = uniqueText('customer');
      const [first, second] = [await sell({ customer_id }), await sell({ customer_id })];
      await setTerms({ ...terms, recurring: 'first' });
      expect(await account.update(second, byTerms)).toMatchObject({
        commission_amount: 0,
        commission: { why: 'not_first' },
      });
      expect(await account.update(first, byTerms)).toMatchObject({ commission_amount: 4_000 });
    });

    it('is answered 409 if there are no terms, an explicit amount, or it is refunded', async () => {
      const sale = await sell();
      const refuse = async (change: object = byTerms) => {
        const before = (await api.get(`/v1/conversions/${sale.id}`)).body;
        const { detail } = expectProblem(await patch(sale.id, change), 409, 'invalid_transition');
        expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(before);
        return detail;
      };
      expect(await refuse()).toContain(`program ${program.id} has none`);
      await setTerms(terms);
      await account.update(sale, { commission_amount: 7 });
      expect(await refuse()).toContain('explicit commission_amount');
      await account.update(sale, { commission_amount: null });
      await account.update(sale, { status: 'approved' });
      expect(await refuse({ ...byTerms, status: 'refunded' })).toContain('this request refunds it');
      expect(await refuse({ ...byTerms, refunded_amount: 20_000 })).toContain('refunds it');
      await account.update(sale, { status: 'refunded' });
      expect(await refuse()).toContain('is refunded');
      const again = { ...byTerms, status: 'approved' };
      expect(await account.update(sale, again)).toMatchObject({ commission_amount: 4_000 });
    });

    it('is refused with 422 together with an amount, as an object, or as another text', async () => {
      const { id } = await sell();
      for (const commission_amount of [7, null])
        expectIssues(await patch(id, { ...byTerms, commission_amount }), 'validation_failed', [
          '/commission',
        ]);
      for (const commission of [noTerms, {}, []])
        for (const more of [{}, { status: 'approved' }])
          expectIssues(await patch(id, { commission, ...more }), 'immutable_field', [
            '/commission',
          ]);
      for (const commission of ['by terms', '', null, 7, true])
        expectIssues(await patch(id, { commission }), 'validation_failed', ['/commission']);
    });

    it('follows If-Match and scopes like every change, and says so in its history', async () => {
      const sale = await sell();
      await setTerms(terms);
      const stale = { headers: { 'if-match': '"1"' } };
      expectProblem(await patch(sale.id, byTerms, stale), 412, 'revision_mismatch');
      const path = `/v1/conversions/${sale.id}`;
      const reader = await account.withScope('read');
      expectProblem(await reader.patch(path, byTerms), 403, 'insufficient_scope');
      const writer = await account.withScope('write');
      expectStatus(200, await writer.patch(path, { ...byTerms, reason: 'a typo' }));
      const { data } = expectStatus(200, await api.get<Page<Change>>(`${path}/history`));
      expect(data[0]).toMatchObject({ type: 'conversion.updated', revision: 1, reason: 'a typo' });
      expect(data[0]?.changes).toEqual([
        { path: '/commission_amount', before: 0, after: 4_000 },
        { path: '/commission', before: noTerms, after: applied },
      ]);
      const path0 = `${path}?as_of=${String(data[1]?.position)}`;
      expect((await api.get(path0)).body).toEqual(sale);
    });
  });
};
