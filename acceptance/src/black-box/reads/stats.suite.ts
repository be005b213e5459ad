/// <reference types="jest" />
import {
  type AffiliateStats,
  type Conversion,
  type ConversionStatus,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectProblem, like } from '../expect-problem.js';

const figures = (rows: readonly Conversion[], amount: (row: Conversion) => number) => {
  const sum = (matching: readonly Conversion[]): number =>
    matching.reduce((total, row) => total + amount(row), 0);
  const sumOf = (status: ConversionStatus): number =>
    sum(rows.filter((row) => row.status === status));
  return {
    total: sum(rows),
    pending: sumOf('pending'),
    approved: sumOf('approved'),
    rejected: sumOf('rejected'),
    refunded: sumOf('refunded'),
  };
};

/** The refunded part of a sale counts as refunded, and the rest by the status of the sale. */
const sales = (rows: readonly Conversion[]) => {
  const kept = figures(rows, (row) => row.sale_amount - row.refunded_amount);
  const refunded = figures(rows, (row) => row.refunded_amount).total;
  return { ...kept, total: kept.total + refunded, refunded: kept.refunded + refunded };
};

/** Returns the expected statistics, added up from the listed rows. */
const addedUp = (affiliateId: string, rows: readonly Conversion[]) => {
  const currencies = [...new Set(rows.map((row) => row.sale_currency))].toSorted();
  const times = rows.map((row) => row.created_at).toSorted();
  return {
    object: 'affiliate_stats',
    affiliate_id: affiliateId,
    conversions: figures(rows, () => 1),
    currencies: currencies.map((currency) => {
      const own = rows.filter((row) => row.sale_currency === currency);
      const commission = figures(own, (row) => row.commission_amount);
      return {
        currency,
        conversions: figures(own, () => 1),
        sale_amount: sales(own),
        commission_amount: { ...commission, paid: 0, unpaid: commission.approved },
      };
    }),
    first_conversion_at: times[0] ?? null,
    last_conversion_at: times.at(-1) ?? null,
    position: like.text(/^\d+$/),
  };
};

/** Tests the statistics of an affiliate. It needs a service with `noRateLimitSettings`. */
export const statsSuite = (service: ServiceFactory): void => {
  describe('statistics', () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));
    const statsOf = async (id: string): Promise<AffiliateStats> => {
      const stats = expectStatus(
        200,
        await account.api.get<AffiliateStats>(`/v1/affiliates/${id}/stats`),
      );
      return {
        ...stats,
        currencies: stats.currencies.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
      };
    };
    const rowsOf = (id: string): Promise<Conversion[]> =>
      account.all('/v1/conversions', { affiliate_id: id });

    it('of an affiliate without conversions are all zero', async () => {
      const { id } = await account.affiliate();
      expect(await statsOf(id)).toEqual(addedUp(id, []));
    });

    it('of a missing affiliate return 404', async () => {
      expectProblem(
        await account.api.get(`/v1/affiliates/${unknownId('aff')}/stats`),
        404,
        'not_found',
      );
    });

    it('equal the sums of the listed conversions, per currency and status, after every change', async () => {
      const { id: program_id } = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000 },
      });
      const [{ id }, other] = [
        await account.affiliate({ program_id }),
        await account.affiliate({ program_id }),
      ];
      await account.conversion(other.id);
      const changes: readonly object[][] = [
        [],
        [{ status: 'approved' }],
        [{ status: 'rejected' }],
        [{ sale_amount: 5 }],
        [{ status: 'approved' }, { status: 'refunded' }],
        [{ status: 'rejected' }, { status: 'approved' }],
        [{ status: 'approved', sale_amount: 9 }],
        [{ commission_amount: 7 }, { status: 'approved', refunded_amount: 30 }],
        [{ status: 'approved' }, { refunded_amount: 1 }, { status: 'rejected' }],
        [{ status: 'approved', refunded_amount: 99 }, { status: 'refunded' }],
        [
          { refunded_amount: 30 },
          { sale_amount: 31 },
          { status: 'approved' },
          { status: 'refunded' },
        ],
        [{ refunded_amount: 30 }, { status: 'rejected' }, { status: 'approved' }],
      ];
      for (const [index, steps] of [...changes, ...changes].entries()) {
        let sale = await account.conversion(id, {
          sale_amount: 100 + index,
          sale_currency: ['USD', 'EUR', 'JPY'][index % 3],
        });
        for (const step of steps) {
          sale = await account.update(sale, step);
          expect(await statsOf(id)).toEqual(addedUp(id, await rowsOf(id)));
        }
      }
      const { conversions, currencies } = await statsOf(id);
      expect([
        conversions.total,
        conversions.pending,
        conversions.refunded,
        currencies.map(({ currency }) => currency),
      ]).toEqual([24, 4, 6, ['EUR', 'JPY', 'USD']]);
    });

    it('stay consistent while conversions arrive', async () => {
      const { id } = await account.affiliate();
      const writing = Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const sale = await account.conversion(id, { sale_amount: 10 });
          if (n % 2 === 0) await account.update(sale, { status: 'approved' });
        }),
      );
      for (let n = 0; n < 15; n++) {
        const { conversions, currencies } = await statsOf(id);
        expect(conversions.pending + conversions.approved).toBe(conversions.total);
        expect(currencies[0]?.sale_amount.total ?? 0).toBe(conversions.total * 10);
      }
      await writing;
      expect(await statsOf(id)).toEqual(addedUp(id, await rowsOf(id)));
    });
  });
};
