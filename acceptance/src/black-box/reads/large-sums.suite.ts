/// <reference types="jest" />
import {
  type AffiliateStats,
  conversionBody,
  expectStatus,
  scaledTimeout,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';

const [sales, amount] = [9_009, 999_999_999_999];

/** Tests a sum that no double can hold. It needs a service with `noRateLimitSettings`. */
export const largeSumsSuite = (service: ServiceFactory): void => {
  it(
    'the statistics of an affiliate are exact beyond 2^53',
    async () => {
      const account = await TestAccount.open(await service());
      const { id } = await account.affiliate();
      const sale = conversionBody(id, { sale_amount: amount });
      const queue = Array.from({ length: sales }).keys();
      const sell = async (): Promise<void> => {
        for (const _ of queue) expectStatus(201, await account.api.post('/v1/conversions', sale));
      };
      await Promise.all(Array.from({ length: 32 }, sell));
      const exact = BigInt(sales) * BigInt(amount);
      expect(BigInt(Number(exact))).not.toBe(exact);
      const { text, body } = await account.api.get<AffiliateStats>(`/v1/affiliates/${id}/stats`);
      expect(body.conversions.total).toBe(sales);
      const sums = [...text.matchAll(/"sale_amount":\{[^}]*"total":(\d+)/g)].map(([, sum]) => sum);
      expect(sums).toEqual([String(exact)]);
    },
    scaledTimeout(60_000),
  );
};
