/// <reference types="jest" />
import {
  type Conversion,
  expectedCommission,
  Random,
  scaledTimeout,
  type ServiceFactory,
  TestAccount,
  testSeed,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { currencies, pick, randomAmount, randomTerms, type Terms } from '../random-terms.js';

/**
 * Tests `count` random sales against a calculation of its own. It needs a service with
 * `noRateLimitSettings`.
 */
export const randomSalesSuite = (service: ServiceFactory, count: number): void => {
  describe(`random sales under random terms (TEST_SEED=${testSeed})`, () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));

    it(
      'earn what long multiplication says, even after a partial refund',
      async () => {
        const programs = await Promise.all(
          Array.from({ length: 20 }, async (_, program) => {
            const terms = randomTerms(new Random(testSeed).fork(`terms ${program}`));
            const { id: program_id } = await account.program({ terms });
            return { terms, affiliate: await account.affiliate({ program_id }) };
          }),
        );
        const queue = Array.from({ length: count }).keys();
        let checked = 0;
        const sell = async (): Promise<void> => {
          for (const number of queue) {
            const random = new Random(testSeed).fork(`sale ${number}`);
            const { terms, affiliate } = pick(random, programs);
            const sale = await account.conversion(affiliate.id, {
              sale_amount: randomAmount(random),
              sale_currency: pick(random, currencies),
            });
            expect(sale.payable_on).toBe(daysAfter(sale.created_at, terms.hold_days));
            expect(earnedBy(sale)).toEqual(expected(sale, terms));
            if (sale.sale_amount < 2) continue;
            const refunded_amount = random.intBetween(1, Math.min(sale.sale_amount, 2 ** 47));
            const kept = await account.update(sale, { status: 'approved', refunded_amount });
            expect(kept.refunded_amount).toBe(refunded_amount);
            expect(earnedBy(kept)).toEqual(expected(kept, terms));
            checked++;
          }
        };
        await Promise.all(Array.from({ length: 16 }, sell));
        expect(checked).toBeGreaterThan(count / 2);
      },
      scaledTimeout(60_000),
    );
  });
};

const earnedBy = ({ commission_amount, commission }: Conversion) => ({
  amount: BigInt(commission_amount),
  why: commission.why,
});

const expected = ({ sale_amount, refunded_amount, sale_currency }: Conversion, terms: Terms) =>
  expectedCommission(
    { net: BigInt(sale_amount) - BigInt(refunded_amount), currency: sale_currency },
    terms,
  );
