/// <reference types="jest" />
import {
  type Affiliate,
  ApiClient,
  type Conversion,
  conversionBody,
  expectStatus,
  type Program,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';

const shops = 4;

/** A change: of the program's terms, of the affiliate's own, or from its own to none. */
type Step = 'program' | 'own' | 'none of its own';
type Gateways = readonly [ApiClient, ApiClient];

/**
 * Tests that terms apply to every sale that was sent after they were acknowledged, and to no
 * earlier one. Each sale goes through a different gateway from the change before it. It needs a
 * service with `noRateLimitSettings`. The number of `changes` is a multiple of 4.
 */
export const termsInForceSuite = (
  service: ServiceFactory,
  changes: number,
  /** Resolves to the base URL of the other gateway. A service with only one uses that one. */
  otherGateway = async (): Promise<string> => (await service()).baseUrl,
): void => {
  describe(`after each of ${changes} changes`, () => {
    let account: TestAccount;
    let gateways: Gateways;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      const other = await ApiClient.connect({ baseUrl: await otherGateway() }, account.api.key);
      gateways = [account.api, other];
    });

    it.each<[string, readonly Step[]]>([
      ["of a program's terms", ['program']],
      [
        "of an affiliate's own terms and of its program's",
        ['own', 'program', 'none of its own', 'program'],
      ],
    ])('%s, a sale takes the new terms and keeps them', async (_what, steps) => {
      const run = async (): Promise<number> => {
        const sales = await sellAfterEach(account, gateways, steps, changes / shops);
        const some = sales.filter((_, index) => index % 10 === 0);
        for (const sale of some) await keepsItsTerms(sale, gateways);
        return sales.length;
      };
      const counts = await Promise.all(Array.from({ length: shops }, run));
      expect(counts.reduce((sum, count) => sum + count)).toBe(changes);
    });

    it('a sale without terms takes the new ones when it is asked to, and keeps them', async () => {
      await Promise.all(
        Array.from({ length: shops }, () =>
          takeAfterEach(account, gateways, Math.ceil(changes / 4 / shops)),
        ),
      );
    });
  });
};

/**
 * Records sales without terms, and lets each take the terms that another gateway has just changed.
 */
const takeAfterEach = async (
  account: TestAccount,
  [one, other]: Gateways,
  count: number,
): Promise<void> => {
  const program = await account.program();
  const affiliate = await account.affiliate({ program_id: program.id });
  const sales = await Promise.all(
    Array.from({ length: count }, () => account.conversion(affiliate.id, { sale_amount: 10_000 })),
  );
  for (const [index, sale] of sales.entries()) {
    const [here, there] = index % 2 === 0 ? [one, other] : [other, one];
    const rate_bps = index + 1;
    await patched(here, program, { terms: { type: 'percentage', rate_bps } });
    const next = { terms: { type: 'percentage', rate_bps: count + rate_bps } };
    // every third time, the terms change again while the sale takes them
    const [taken] = await Promise.all([
      patched(there, sale, { commission: 'by_terms' }),
      ...(index % 3 === 0 ? [patched(here, program, next)] : []),
    ]);
    const { commission_amount, commission } = taken;
    expect(commission_amount).toBe(commission.rate_bps);
    expect([rate_bps, ...(index % 3 === 0 ? [count + rate_bps] : [])]).toContain(commission_amount);
    await keepsItsTerms(taken, [one, other]);
  }
};

/** Alternately changes terms and records sales. The rate rises, so no two versions are alike. */
const sellAfterEach = async (
  account: TestAccount,
  [one, other]: Gateways,
  steps: readonly Step[],
  count: number,
): Promise<readonly Conversion[]> => {
  let program = await account.program();
  let affiliate = await account.affiliate({ program_id: program.id });
  const sales: Conversion[] = [];
  for (let n = 1; n <= count; n++) {
    const [here, there] = n % 2 === 0 ? [one, other] : [other, one];
    const terms = { type: 'percentage', rate_bps: n };
    const step = steps[n % steps.length];
    if (step === 'program')
      program = await patched(here, program, { terms: { ...terms, hold_days: n } });
    else affiliate = await patched(here, affiliate, { commission: step === 'own' ? terms : null });
    const body = conversionBody(affiliate.id, { sale_amount: 10_000 });
    const sale = expectStatus(201, await there.post<Conversion>('/v1/conversions', body));
    expect(sale).toMatchObject(earning(program, affiliate, sale));
    sales.push(sale);
  }
  return sales;
};

const patched = async <T extends Affiliate | Conversion | Program>(
  api: ApiClient,
  { object, id }: T,
  change: object,
): Promise<T> => expectStatus(200, await api.patch<T>(`/v1/${object}s/${id}`, change));

/** The commission of a sale of 10,000 under the terms that were acknowledged last. */
const earning = (
  { terms, terms_version }: Program,
  { commission: own, commission_version }: Affiliate,
  { occurred_at }: Conversion,
): object => {
  const rate_bps = Number((own ?? terms)?.['rate_bps']);
  return {
    commission_amount: rate_bps,
    commission: {
      source: own === null ? 'program' : 'affiliate',
      terms_version: own === null ? terms_version : commission_version,
      type: 'percentage',
      rate_bps,
      why: 'applied',
    },
    payable_on: daysAfter(occurred_at, Number(terms?.['hold_days'] ?? 30)),
  };
};

/** Checks that later terms have not changed a sale, and that half of it earns half. */
const keepsItsTerms = async (sale: Conversion, [one, other]: Gateways): Promise<void> => {
  expect((await one.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
  const { commission_amount, commission, payable_on } = sale;
  const refund = { status: 'approved', refunded_amount: 5_000 };
  expect(await patched(other, sale, refund)).toMatchObject({
    commission_amount: Math.ceil(commission_amount / 2),
    commission,
    payable_on,
  });
};
