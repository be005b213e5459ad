/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  type Entry,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

/** The amount owed for a conversion. */
const owed = ({ status, commission_amount }: Conversion): number =>
  status === 'approved' ? commission_amount : 0;

const steps = {
  pending: [],
  'pending, partly refunded': [{ refunded_amount: 5_000 }],
  approved: [{ status: 'approved' }],
  'partly refunded': [{ status: 'approved', refunded_amount: 5_000 }],
  rejected: [{ status: 'rejected' }],
  'pending, partly refunded, rejected': [{ refunded_amount: 5_000 }, { status: 'rejected' }],
  refunded: [{ status: 'approved' }, { status: 'refunded' }],
} as const;
type From = keyof typeof steps;

/** Tests refunds, and the commission of a sale of 200.00 at 20%. */
export const refundsSuite = (service: ServiceFactory): void => {
  describe('a refund', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      const { id } = await account.program({ terms: { type: 'percentage', rate_bps: 2_000 } });
      affiliate = await account.affiliate({ program_id: id });
    });
    const sold = async (from: From): Promise<Conversion> => {
      let sale = await account.conversion(affiliate.id, { sale_amount: 20_000 });
      for (const step of steps[from]) sale = await account.update(sale, step);
      return sale;
    };
    const patch = (
      { id }: Conversion,
      change: object,
      ifMatch?: string,
    ): Promise<ApiResponse<Conversion>> =>
      api.patch(
        `/v1/conversions/${id}`,
        change,
        ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } },
      );
    const unchanged = async (sale: Conversion): Promise<void> =>
      expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);

    const approve = { status: 'approved' };
    const life = [approve, { refunded_amount: 5_000 }, { commission_amount: 3_500 }];
    it.each<[string, readonly object[], Partial<Conversion>, number]>([
      ['pending', [], { status: 'pending', commission_amount: 4_000 }, 0],
      ['approved', life.slice(0, 1), { status: 'approved', commission_amount: 4_000 }, 4_000],
      [
        'refunded in part',
        life.slice(0, 2),
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_000 },
        3_000,
      ],
      [
        'given another commission',
        life,
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_500 },
        3_500,
      ],
      [
        'refunded',
        [...life, { status: 'refunded' }],
        { status: 'refunded', refunded_amount: 20_000, commission_amount: 3_500 },
        0,
      ],
      [
        'approved again, with its explicit commission',
        [...life, { status: 'refunded' }, approve],
        { status: 'approved', refunded_amount: 0, commission_amount: 3_500 },
        3_500,
      ],
      [
        'approved again, under its terms',
        [...life.slice(0, 2), { status: 'refunded' }, approve],
        { status: 'approved', refunded_amount: 0, commission_amount: 4_000 },
        4_000,
      ],
      [
        'approved again, refunded in part',
        [approve, { status: 'refunded' }, { ...approve, refunded_amount: 5_000 }],
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_000 },
        3_000,
      ],
      [
        'rejected while pending',
        [{ status: 'rejected' }],
        { status: 'rejected', refunded_amount: 0, commission_amount: 4_000 },
        0,
      ],
      [
        'refunded in part while pending',
        [{ refunded_amount: 5_000 }],
        { status: 'pending', refunded_amount: 5_000, commission_amount: 3_000 },
        0,
      ],
      [
        'refunded in part while pending, corrected and approved',
        [{ refunded_amount: 5_000 }, { sale_amount: 15_000 }, { sale_amount: 20_000 }, approve],
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_000 },
        3_000,
      ],
      [
        'refunded in part while pending, with an explicit commission, and approved',
        [{ refunded_amount: 5_000, commission_amount: 3_500 }, approve],
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_500 },
        3_500,
      ],
      [
        'refunded in part while pending, approved and refunded',
        [{ refunded_amount: 5_000 }, approve, { status: 'refunded' }],
        { status: 'refunded', refunded_amount: 20_000, commission_amount: 3_000 },
        0,
      ],
      [
        'refunded in part while pending, rejected and approved',
        [{ refunded_amount: 5_000 }, { status: 'rejected' }, approve],
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_000 },
        3_000,
      ],
      [
        'refunded in part, rejected and approved',
        [...life.slice(0, 2), { status: 'rejected' }, approve],
        { status: 'approved', refunded_amount: 5_000, commission_amount: 3_000 },
        3_000,
      ],
    ])('of a sale that is %s', async (_, changes, expected, owes) => {
      let sale = await sold('pending');
      for (const change of changes) {
        sale = await account.update(sale, change);
        expect(await account.update(sale, change)).toEqual(sale);
      }
      expect(sale).toMatchObject({ ...expected, sale_amount: 20_000, revision: changes.length });
      expect(owed(sale)).toBe(owes);
      // only the ledger posts entries
      if (service.hasReadModels === false) return;
      const { data } = expectStatus(
        200,
        await api.get<Page<Entry>>('/v1/entries', { query: { conversion_id: sale.id } }),
      );
      expect(data.reduce((sum, { amount }) => sum + amount, 0)).toBe(owes);
    });

    it.each<[From, object, Partial<Conversion>]>([
      ['pending, partly refunded', { refunded_amount: 1_000 }, { commission_amount: 3_800 }],
      [
        'pending, partly refunded',
        { refunded_amount: 0, status: 'approved' },
        { commission_amount: 4_000 },
      ],
      ['partly refunded', { refunded_amount: 4_999 }, { commission_amount: 3_000 }],
      ['partly refunded', { refunded_amount: 0 }, { commission_amount: 4_000 }],
      [
        'pending, partly refunded, rejected',
        { refunded_amount: 0, status: 'approved' },
        { commission_amount: 4_000 },
      ],
    ])(
      'of a sale that is %s is lowered by %j only with its revision',
      async (from, change, expected) => {
        const sale = await sold(from);
        for (const ifMatch of [undefined, '*']) {
          const problem = expectProblem(
            await patch(sale, change, ifMatch),
            428,
            'precondition_required',
          );
          expect(problem.detail).toMatch(
            / is 5000, the sum .* a late or repeated request must not/,
          );
        }
        expectProblem(await patch(sale, change, '"99"'), 412, 'revision_mismatch');
        await unchanged(sale);
        const lowered = expectStatus(200, await patch(sale, change, `"9", "${sale.revision}"`));
        expect(lowered).toMatchObject({ ...expected, ...change });
        expect(expectStatus(200, await patch(sale, change))).toEqual(lowered);
      },
    );

    it('that overtakes an earlier one leaves the larger sum', async () => {
      const sale = await sold('approved');
      const sums = [1_000, 4_000, 2_500, 3_000];
      const answers = await Promise.all(
        sums.map((refunded_amount) => patch(sale, { refunded_amount })),
      );
      for (const answer of answers)
        if (answer.status !== 200) expectProblem(answer, 428, 'precondition_required');
      expect((await api.get<Conversion>(`/v1/conversions/${sale.id}`)).body).toMatchObject({
        refunded_amount: 4_000,
        commission_amount: 3_200,
      });
    });

    it('of a whole pending sale says to reject it', async () => {
      const sale = await sold('pending');
      for (const change of [{ refunded_amount: 20_000 }, { status: 'refunded' }]) {
        const problem = expectProblem(await patch(sale, change), 409, 'invalid_transition');
        expect(problem.detail).toMatch(/Nothing is owed for it yet: reject it instead/);
      }
    });

    it.each([{ sale_amount: 5_000 }, { sale_amount: 0 }, { sale_amount: 1, status: 'approved' }])(
      'before approval stays below the sale: %j is refused',
      async (change) => {
        const sale = await sold('pending, partly refunded');
        expectIssues(await patch(sale, change), 'validation_failed', ['/sale_amount']);
        await unchanged(sale);
        await account.update(sale, { sale_amount: 5_001 });
      },
    );

    it('of the whole amount sets the status to refunded', async () => {
      const sale = await sold('partly refunded');
      const refunded = expectStatus(
        200,
        await patch(sale, { refunded_amount: 20_000, reason: 'returned' }),
      );
      expect(refunded).toMatchObject({
        status: 'refunded',
        refunded_amount: 20_000,
        commission_amount: 3_000,
        reason: 'returned',
      });
      expect(expectStatus(200, await patch(sale, { refunded_amount: 20_000 }))).toEqual(refunded);
      expect(expectStatus(200, await patch(sale, { status: 'refunded' }))).toEqual(refunded);
    });

    it('of 0 is possible for a sale of 0', async () => {
      const free = await account.conversion(affiliate.id, { sale_amount: 0 });
      expect(expectStatus(200, await patch(free, { refunded_amount: 0 }))).toEqual(free);
      await account.update(free, { status: 'approved' });
      expect(await account.update(free, { status: 'refunded' })).toMatchObject({
        status: 'refunded',
        refunded_amount: 0,
      });
    });

    it.each<[From, object]>([
      ['pending', { refunded_amount: 20_000 }],
      ['pending, partly refunded', { refunded_amount: 20_000 }],
      ['pending, partly refunded', { refunded_amount: 6_000, status: 'rejected' }],
      ['pending', { refunded_amount: 1, status: 'rejected' }],
      ['rejected', { refunded_amount: 1 }],
      ['rejected', { refunded_amount: 20_000 }],
      ['rejected', { status: 'refunded' }],
      ['partly refunded', { refunded_amount: 6_000, status: 'rejected' }],
      ['pending, partly refunded, rejected', { refunded_amount: 6_000 }],
      ['partly refunded', { sale_amount: 30_000 }],
      ['refunded', { refunded_amount: 1 }],
      ['refunded', { refunded_amount: 0 }],
      ['refunded', { status: 'rejected' }],
    ])('of a sale that is %s by %j is an invalid transition', async (from, change) => {
      const sale = await sold(from);
      expectProblem(await patch(sale, change), 409, 'invalid_transition');
      await unchanged(sale);
    });

    it.each([
      { refunded_amount: 20_001 },
      { refunded_amount: -1 },
      { refunded_amount: 0.5 },
      { refunded_amount: '1' },
      { refunded_amount: null },
      { refunded_amount: 20_000, status: 'approved' },
      { refunded_amount: 20_000, status: 'rejected' },
      { refunded_amount: 19_999, status: 'refunded' },
      { refunded_amount: 0, status: 'refunded' },
    ])('by %j is refused', async (change) => {
      const sale = await sold('approved');
      expectIssues(await patch(sale, change), 'validation_failed', ['/refunded_amount']);
      await unchanged(sale);
    });

    it('cannot be sent with a new sale', async () => {
      const body = { affiliate_id: affiliate.id, sale_amount: 1, sale_currency: 'USD' };
      expectIssues(
        await api.post('/v1/conversions', { ...body, refunded_amount: 0 }),
        'unknown_field',
        ['/refunded_amount'],
      );
    });

    it('is refused as too large only after its expected revision has been checked', async () => {
      const { id } = await sold('approved');
      const stale = { headers: { 'if-match': '"0"' } };
      expectProblem(
        await api.patch(`/v1/conversions/${id}`, { refunded_amount: 20_001 }, stale),
        412,
        'revision_mismatch',
      );
    });

    it('has a reason, which stays until another one is given or the status changes', async () => {
      const sale = await account.update(await sold('pending'), {
        status: 'approved',
        reason: 'checked',
      });
      for (const [change, reason] of [
        [{ refunded_amount: 1 }, 'checked'],
        [{ refunded_amount: 2, reason: 'broken' }, 'broken'],
        [{ refunded_amount: 2, reason: 'nothing changes' }, 'broken'],
        [{ commission_amount: 5 }, 'broken'],
        [{ commission_amount: 6, reason: 'bonus' }, 'bonus'],
        [{ refunded_amount: 20_000 }, null],
      ] as const)
        expect((await account.update(sale, change)).reason).toBe(reason);
    });
  });
};
