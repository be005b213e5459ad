/// <reference types="jest" />
import {
  type Affiliate,
  type AffiliateStats,
  conversionBody,
  expectStatus,
  scaledTimeout,
  type ServiceFactory,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { AccountRuns } from '../payouts/account-runs.js';
import { OwingAccount } from '../payouts/owing-account.js';

const [sales, amount] = [9_009, 999_999_999_999];
const owed = BigInt(sales) * BigInt(amount);

/** Tests sums that no double can hold. It needs a service with `noRateLimitSettings`. */
export const largeSumsSuite = (service: ServiceFactory): void => {
  describe('sums beyond 2^53', () => {
    let owing: OwingAccount;
    let runs: AccountRuns;
    let ada: Affiliate;
    beforeAll(async () => {
      owing = await OwingAccount.open(await service(), {
        terms: { type: 'percentage', rate_bps: 10_000, hold_days: 0 },
        conversion_approval: 'automatic',
      });
      runs = new AccountRuns(owing);
      ada = await owing.payee();
      // all of it becomes payable on the same day
      const occurred_at = new Date(Date.now() - 86_400_000).toISOString();
      const sale = conversionBody(ada.id, { sale_amount: amount, occurred_at });
      const queue = Array.from({ length: sales }).keys();
      const sell = async (): Promise<void> => {
        for (const _ of queue) expectStatus(201, await owing.api.post('/v1/conversions', sale));
      };
      await Promise.all(Array.from({ length: 32 }, sell));
    }, scaledTimeout(120_000));

    it('are exact in the statistics of an affiliate', async () => {
      expect(BigInt(Number(owed))).not.toBe(owed);
      const { text, body } = await owing.api.get<AffiliateStats>(`/v1/affiliates/${ada.id}/stats`);
      expect(body.conversions.total).toBe(sales);
      const sums = [...text.matchAll(/"sale_amount":\{[^}]*"total":(\d+)/g)].map(([, sum]) => sum);
      expect(sums).toEqual([String(owed)]);
    });

    it('are paid in parts, and are exact in the totals of a run', async () => {
      const reasons = async () => {
        const listed = await owing.balance(ada);
        const { text } = await owing.api.get(`/v1/balances/${listed.id}`);
        expect(text).toContain(`"not_eligible":${JSON.stringify(listed.not_eligible)}`);
        return [/"payable":(-?\d+)/.exec(text)?.[1], listed.eligible, listed.not_eligible];
      };
      const tooMuch = [String(owed), false, ['too_many_ranges']];
      expect(await reasons()).toEqual(tooMuch);
      const preview = await owing.api.post('/v1/payout-runs', { preview: true });
      expect(preview.text).toContain(`"too_many_ranges":{"balances":1,"amount":${owed}}`);
      const { payouts } = await runs.finish();
      expect(payouts).toMatchObject({ created: 0, skipped: { too_many_ranges: 1 } });
      expectProblem(await owing.pay(ada), 409, 'too_many_ranges');

      const part = await owing.paid(ada, { partial: true });
      expect([part.amount, part.entry_count]).toEqual([9_007 * amount, 9_007]);
      expect(await reasons()).toEqual([String(2 * amount), true, []]);
      await owing.account.update(part, { status: 'canceled' });
      expect(await reasons()).toEqual(tooMuch);

      for (const _ of [1, 2]) await owing.owe(ada, -amount);
      expect(await reasons()).toEqual([String(9_007 * amount), true, []]);
      await owing.owed(amount - 1);
      const { id } = await runs.finish();
      const total = `"totals":[{"currency":"USD","payouts":2,"amount":${9_008n * BigInt(amount) - 1n}}]`;
      for (const path of [`/${id}`, '?status=finished', `/${id}/history?include=record`])
        expect((await owing.api.get(`/v1/payout-runs${path}`)).text).toContain(total);
    });
  });
};
