/// <reference types="jest" />
import {
  scaledTimeout,
  TestAccount,
  type AffiliateStats,
  type Conversion,
} from '@refledger/testing';
import { withoutProgress, type OperatedService } from './ops-process.js';

/** Tests that sales keep their commissions, on any engines. */
export const rebuiltCommissionsSuite = (operated: () => OperatedService): void => {
  it(
    'sales keep their commissions when the terms change and read models are rebuilt',
    async () => {
      const { service, ops } = operated();
      const account = await TestAccount.open(service);
      const { affiliates, sales } = await recordSales(account);

      const everything = async () => ({
        sales: await account.all<Conversion>('/v1/conversions'),
        stats: await Promise.all(
          affiliates.map(
            async ({ id }) =>
              (await account.api.get<AffiliateStats>(`/v1/affiliates/${id}/stats`)).body.currencies,
          ),
        ),
      });
      const before = await everything();
      expect(before.sales).toEqual(sales);
      expect(sales.map(({ commission_amount }) => commission_amount)).toEqual([
        4_000, 4_500, 6_000, 6_000, 3_000, 4_000, 4_000,
      ]);
      for (const projection of ['conversions', 'affiliate_stats'])
        expect(await ops('rebuild', projection)).toMatchObject({ code: 0 });
      expect(await everything()).toEqual(before);
      await service.restart('SIGKILL');
      expect(await everything()).toEqual(before);

      expect(withoutProgress(await ops('verify', '--ledger'))).toMatchObject({ code: 0 });

      const inPart = { status: 'approved', refunded_amount: 10_000 };
      for (const sale of sales) {
        const { commission, payable_on } = sale;
        const commission_amount = commission.source === 'affiliate' ? 3_000 : 2_000;
        expect(await account.update(sale, inPart)).toMatchObject({
          commission_amount,
          commission,
          payable_on,
        });
      }
    },
    scaledTimeout(60_000),
  );
};

const terms = { type: 'percentage', rate_bps: 2_000, hold_days: 10 };

/**
 * Records sales under terms of a program, under an affiliate's own, and under later ones. Returns
 * them newest first. The terms have changed since.
 */
const recordSales = async (account: TestAccount) => {
  const program = await account.program({ terms });
  const [plain, special] = [
    await account.affiliate({ program_id: program.id }),
    await account.affiliate({ program_id: program.id }),
  ];
  await account.update(special, { commission: { ...terms, rate_bps: 3_000, hold_days: 5 } });
  const sales: Conversion[] = [];
  for (const { id } of [plain, special])
    for (const change of [
      { metadata: { is: 'pending' } },
      { status: 'approved' },
      { status: 'approved', refunded_amount: 5_000 },
    ]) {
      const sale = await account.conversion(id, { sale_amount: 20_000 });
      sales.unshift(await account.update(sale, change));
    }
  const bare = await account.program();
  const unpaid = await account.affiliate({ program_id: bare.id });
  const late = await account.conversion(unpaid.id, { sale_amount: 20_000 });
  await account.update(late, { status: 'approved' });
  await account.update(bare, { terms });
  sales.unshift(await account.update(late, { commission: 'by_terms' }));
  await account.update(bare, { terms: null });
  await account.update(program, { terms: { ...terms, rate_bps: 1, hold_days: 99 } });
  await account.update(special, { commission: null });
  return { affiliates: [plain, special, unpaid], sales };
};
