/// <reference types="jest" />
import {
  type Adjustment,
  type Affiliate,
  type Balance,
  type Conversion,
  type Entry,
  expectedCommission,
  expectStatus,
  type Page,
  type AffiliateStats,
  Random,
  scaledTimeout,
  type ServiceFactory,
  type Statement,
  TestAccount,
  testSeed,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { currencies, pick, randomAmount, randomTerms } from '../random-terms.js';

/**
 * Changes what is owed for `count` sales in many ways at the same time, and compares the balances
 * with sums of its own. It needs a service with `noRateLimitSettings`.
 */
export const randomMoneySuite = (service: ServiceFactory, count: number): void => {
  describe(`balances after many concurrent changes (TEST_SEED=${testSeed})`, () => {
    let account: TestAccount;
    const conversions = new Map<string, Conversion>();
    const adjustments = new Map<string, Adjustment>();

    beforeAll(async () => {
      account = await TestAccount.open(await service());
      const affiliates = await Promise.all(
        Array.from({ length: 5 }, async (_, program) => {
          const terms = program === 0 ? null : termsOf(program);
          const { id: program_id } = await account.program({ terms });
          return account.affiliate({ program_id });
        }),
      );
      const queue = Array.from({ length: count }).keys();
      const work = async (): Promise<void> => {
        for (const number of queue) {
          const random = new Random(testSeed).fork(`sale ${number}`);
          const { id } = pick(random, affiliates);
          let sale = await account.conversion(id, {
            sale_amount: randomAmount(random),
            sale_currency: pick(random, currencies),
          });
          for (const patch of randomLife(random, sale)) sale = await account.update(sale, patch);
          conversions.set(sale.id, sale);
          if (random.intBelow(5) > 0) continue;
          const adjustment = await account.adjustment(id, {
            currency: pick(random, currencies),
          });
          const isVoid = random.intBelow(3) === 0;
          const voided = { status: 'voided', reason: 'twice' };
          adjustments.set(
            adjustment.id,
            isVoid ? await account.update(adjustment, voided) : adjustment,
          );
        }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      await takeTerms(present(affiliates[0]));
    }, scaledTimeout(60_000));

    const termsOf = (program: number) =>
      randomTerms(new Random(testSeed).fork(`program ${program}`));
    /** Gives the program of an affiliate terms, and lets its sales take them where they can. */
    const takeTerms = async ({ id, program_id }: Affiliate): Promise<void> => {
      const terms = termsOf(0);
      expectStatus(200, await account.api.patch(`/v1/programs/${program_id}`, { terms }));
      const sales = [...conversions.values()].filter(
        ({ affiliate_id, status, commission }) =>
          affiliate_id === id && status !== 'refunded' && commission.why === 'no_terms',
      );
      expect(sales.length).toBeGreaterThan(0);
      await Promise.all(
        sales.map(async (sale) => {
          const taken = await account.update(sale, { commission: 'by_terms' });
          const net = BigInt(sale.sale_amount - sale.refunded_amount);
          const { amount, why } = expectedCommission({ net, currency: sale.sale_currency }, terms);
          const { commission_amount, commission } = taken;
          expect([commission_amount, commission.why]).toEqual([Number(amount), why]);
          conversions.set(sale.id, taken);
        }),
      );
    };

    const balances = () => account.all<Balance>('/v1/balances');
    const entries = () => account.all<Entry>('/v1/entries');

    it('equal what is owed for conversions and adjustments', async () => {
      const earned = sums(
        [...conversions.values()].map((sale) => [
          keyOf(sale.affiliate_id, sale.sale_currency),
          owed(sale),
        ]),
      );
      const adjusted = sums(
        [...adjustments.values()].map((one) => [
          keyOf(one.affiliate_id, one.currency),
          granted(one),
        ]),
      );
      const all = await balances();
      for (const { affiliate_id, currency, ...balance } of all) {
        const key = keyOf(affiliate_id, currency);
        expect([key, BigInt(balance.earned)]).toEqual([key, earned.get(key) ?? 0n]);
        expect([key, BigInt(balance.adjusted)]).toEqual([key, adjusted.get(key) ?? 0n]);
      }
      const known = new Set(all.map(({ affiliate_id, currency }) => keyOf(affiliate_id, currency)));
      for (const [key, sum] of [...earned, ...adjusted]) if (!known.has(key)) expect(sum).toBe(0n);
      expect(all.length).toBeGreaterThan(5);
    });

    it('add up: earned and adjusted are held, payable, in payouts or paid', async () => {
      for (const {
        earned,
        adjusted,
        held,
        payable,
        in_payout,
        paid,
        schedule,
      } of await balances()) {
        expect(earned + adjusted).toBe(held + payable + in_payout + paid);
        expect(schedule.reduce((sum, { amount }) => sum + amount, 0)).toBe(held);
      }
    });

    it('have entries numbered without gaps, which add up to them', async () => {
      const all = await entries();
      for (const balance of await balances()) {
        const own = all
          .filter(({ balance_id }) => balance_id === balance.id)
          .sort((a, b) => a.number - b.number);
        expect(own.map(({ number }) => number)).toEqual(own.map((_, index) => index + 1));
        expect(own).toHaveLength(balance.entries);
        expect(own.reduce((sum, { amount }) => sum + amount, 0)).toBe(
          balance.earned + balance.adjusted,
        );
      }
    });

    it('have entries that add up to what is owed for each conversion and adjustment', async () => {
      const all = await entries();
      const posted = sums(
        all.map((entry) => [
          entry.conversion_id ?? entry.adjustment_id ?? '',
          BigInt(entry.amount),
        ]),
      );
      for (const sale of conversions.values())
        expect([sale.id, posted.get(sale.id) ?? 0n]).toEqual([sale.id, owed(sale)]);
      for (const one of adjustments.values())
        expect([one.id, posted.get(one.id) ?? 0n]).toEqual([one.id, granted(one)]);
    });

    it('have statements that close with what is owed', async () => {
      const all = await entries();
      for (const { id, earned, adjusted, paid } of await balances()) {
        const [last] = all
          .filter(({ balance_id }) => balance_id === id)
          .sort((a, b) => b.number - a.number);
        const { body } = await account.api.get<Statement>(`/v1/balances/${id}/statement`, {
          query: { month: last?.posted_at.slice(0, 7) },
        });
        expect([id, body.closing]).toEqual([id, earned + adjusted - paid]);
      }
    });

    it('have earned what the statistics of the affiliate say is approved', async () => {
      for (const balance of await balances()) {
        const { body } = await account.api.get<AffiliateStats>(
          `/v1/affiliates/${balance.affiliate_id}/stats`,
        );
        const of = body.currencies.find(({ currency }) => currency === balance.currency);
        expect(of?.commission_amount.approved ?? 0).toBe(balance.earned);
      }
    });

    it('are summed up for the account by currency', async () => {
      const { body } = await account.api.get<Page<never> & Summary>('/v1/balances/summary');
      const all = await balances();
      for (const row of body.currencies) {
        const own = all.filter(({ currency }) => currency === row.currency);
        const add = (of: (balance: Balance) => number): number =>
          own.reduce((sum, balance) => sum + of(balance), 0);
        expect(row).toMatchObject({
          held: add(({ held }) => held),
          payable: add(({ payable }) => Math.max(0, payable)),
          negative: add(({ payable }) => Math.min(0, payable)),
        });
      }
    });
  });
};

interface Summary {
  readonly currencies: readonly {
    readonly currency: string;
    readonly held: number;
    readonly payable: number;
    readonly negative: number;
  }[];
}

/**
 * The changes to one sale: it may be approved, corrected, refunded in part or in whole, and so on.
 */
const randomLife = (random: Random, { sale_amount }: Conversion): readonly object[] =>
  pick<readonly object[]>(random, [
    [],
    [{ status: 'rejected' }],
    [{ status: 'approved' }],
    [{ status: 'approved' }, { commission_amount: random.intBelow(10_000) }],
    [{ status: 'approved' }, { refunded_amount: Math.floor(sale_amount / 3) }],
    [{ refunded_amount: Math.floor(sale_amount / 3) }],
    [
      { refunded_amount: Math.floor(sale_amount / 5) },
      { status: 'approved' },
      { refunded_amount: Math.floor(sale_amount / 3) },
    ],
    [{ refunded_amount: Math.floor(sale_amount / 3) }, { status: 'rejected' }],
    [
      { refunded_amount: Math.floor(sale_amount / 3) },
      { status: 'approved' },
      { status: 'refunded' },
    ],
    [{ status: 'approved' }, { status: 'refunded' }],
    [{ status: 'approved' }, { status: 'refunded' }, { status: 'approved' }],
    [
      { status: 'approved' },
      { status: 'rejected' },
      { status: 'approved', refunded_amount: Math.floor(sale_amount / 4) },
    ],
  ]);

const keyOf = (affiliate: string, currency: string): string => `${affiliate} ${currency}`;
const owed = ({ status, commission_amount }: Conversion): bigint =>
  status === 'approved' ? BigInt(commission_amount) : 0n;
const granted = ({ status, amount }: Adjustment): bigint =>
  status === 'posted' ? BigInt(amount) : 0n;

const sums = (parts: readonly (readonly [string, bigint])[]): Map<string, bigint> => {
  const all = new Map<string, bigint>();
  for (const [key, part] of parts) all.set(key, (all.get(key) ?? 0n) + part);
  return all;
};
