/// <reference types="jest" />
import { randomInt } from 'node:crypto';
import {
  type Conversion,
  scaledTimeout,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import {
  type Amounts,
  currencies,
  pick,
  randomAmount,
  randomTerms,
  type Terms,
} from '../random-terms.js';

/**
 * Tests a thousand random sales against a calculation of its own. It needs a service with
 * `noRateLimitSettings`.
 */
export const randomSalesSuite = (service: ServiceFactory): void => {
  describe('random sales under random terms', () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));

    it(
      'earn what long multiplication says, also after a partial refund',
      async () => {
        const programs = await Promise.all(
          Array.from({ length: 20 }, async () => {
            const terms = randomTerms();
            const { id: program_id } = await account.program({ terms });
            return { terms, affiliate: await account.affiliate({ program_id }) };
          }),
        );
        const queue = Array.from({ length: 1_000 }).keys();
        let checked = 0;
        const sell = async (): Promise<void> => {
          for (const _ of queue) {
            const { terms, affiliate } = pick(programs);
            const sale = await account.conversion(affiliate.id, {
              sale_amount: randomAmount(),
              sale_currency: pick(currencies),
            });
            expect(sale.payable_on).toBe(daysAfter(sale.created_at, terms.hold_days));
            expect(earnedBy(sale)).toEqual(expected(sale, terms));
            if (sale.sale_amount < 2) continue;
            const refunded_amount = randomInt(1, Math.min(sale.sale_amount, 2 ** 47));
            const kept = await account.update(sale, { status: 'approved', refunded_amount });
            expect(kept.refunded_amount).toBe(refunded_amount);
            expect(earnedBy(kept)).toEqual(expected(kept, terms));
            checked++;
          }
        };
        await Promise.all(Array.from({ length: 16 }, sell));
        expect(checked).toBeGreaterThan(500);
      },
      scaledTimeout(60_000),
    );
  });
};

const earnedBy = ({ commission_amount, commission }: Conversion) => ({
  amount: BigInt(commission_amount),
  why: commission.why,
});

/** What a sale earns, as a calculator says: rounded half up, then capped. */
const expected = (
  { sale_amount, refunded_amount, sale_currency }: Conversion,
  { type, rate_bps = 0, amounts = {}, caps = {} }: Terms,
) => {
  const currency = sale_currency as keyof Amounts;
  const flat = amounts[currency];
  if (type === 'flat' && flat === undefined) return { amount: 0n, why: 'no_amount_in_currency' };
  const net = BigInt(sale_amount) - BigInt(refunded_amount);
  const amount = type === 'flat' ? BigInt(flat ?? 0) : rounded(net * BigInt(rate_bps));
  const cap = caps[currency];
  return cap !== undefined && amount > BigInt(cap)
    ? { amount: BigInt(cap), why: 'capped' }
    : { amount, why: 'applied' };
};

/** Rounds ten-thousandths half up. */
const rounded = (tenThousandths: bigint): bigint =>
  tenThousandths / 10_000n + (tenThousandths % 10_000n >= 5_000n ? 1n : 0n);
