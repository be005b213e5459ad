/// <reference types="jest" />
import {
  type Affiliate,
  expectStatus,
  type Quote,
  Random,
  scaledTimeout,
  type ServiceFactory,
  TestAccount,
  testSeed,
  uniqueText,
} from '@refledger/testing';
import { currencies, pick, randomAmount, randomTerms } from '../random-terms.js';

/**
 * Tests that quotes equal what sales then earn, over `count` random programs. It needs a service
 * with `noRateLimitSettings`.
 */
export const randomQuotesSuite = (service: ServiceFactory, count: number): void => {
  describe(`random quotes (TEST_SEED=${testSeed})`, () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));

    /** Quotes a sale, records it, and compares. */
    const quoteAndSell = async (
      random: Random,
      affiliate: Affiliate,
      customer: string,
    ): Promise<string> => {
      const sale = {
        sale_amount: randomAmount(random),
        sale_currency: pick(random, currencies),
        ...(random.intBelow(3) > 0 && { customer_id: customer }),
        ...(random.intBelow(3) > 0 && { occurred_at: randomInstant(random) }),
      };
      const path = `/v1/programs/${affiliate.program_id}/quote`;
      const body = { ...sale, affiliate_id: affiliate.id };
      const day = new Date().toISOString().slice(0, 10);
      const quote = expectStatus(200, await account.api.post<Quote>(path, body));
      const recorded = await account.conversion(affiliate.id, sale);
      const { commission_amount, commission, payable_on } = recorded;
      // a sale that is recorded just after midnight is payable a day later than its quote says
      const quoted = recorded.created_at.startsWith(day) ? quote : { ...quote, payable_on };
      expect({ commission_amount, commission, payable_on }).toEqual(quoted);
      return commission.why;
    };

    it(
      'equal what the sales then earn, and name the day from which that is payable',
      async () => {
        const reasons = new Set<string>();
        const queue = Array.from({ length: count }).keys();
        const sell = async (): Promise<void> => {
          for (const program of queue) {
            const random = new Random(testSeed).fork(`quotes ${program}`);
            const { id: program_id } = await account.program({ terms: newTerms(random) });
            const affiliate = await account.affiliate({ program_id });
            if (random.intBelow(3) === 0)
              await account.update(affiliate, { commission: newTerms(random) });
            const customer = uniqueText('customer');
            for (let n = 0; n < 3; n++)
              reasons.add(await quoteAndSell(random, affiliate, customer));
          }
        };
        await Promise.all(Array.from({ length: 8 }, sell));
        expect([...reasons].toSorted()).toEqual([
          'after_duration',
          'applied',
          'capped',
          'no_amount_in_currency',
          'no_terms',
          'not_first',
        ]);
      },
      scaledTimeout(120_000),
    );
  });
};

const newTerms = (random: Random): object | null =>
  random.intBelow(10) === 0
    ? null
    : {
        ...randomTerms(random),
        recurring: pick(random, ['every', 'first', { months: random.intBetween(1, 24) }]),
      };

/** An instant in the four years before yesterday, with any offset. */
const randomInstant = (random: Random): string => {
  const days = 1 + random.intBelow(4 * 365) + random.next();
  const instant = new Date(Date.now() - days * 86_400_000);
  return instant.toISOString().replace('Z', pick(random, ['Z', '+05:30', '-11:00', '+00:00']));
};
