import type { AffiliateStats, Conversion, Page } from '@refledger/testing';
import { saleOf } from '../service/receiver.js';
import type { Sale } from './books.js';
import { statuses, type Figures } from './ledger.js';
import { currencies, type Affiliate } from '../day/people.js';
import type { Shop } from '../service/shop.js';
import type { Statistics } from '../screen/screen-state.js';

export type KnownAffiliate = Affiliate & { readonly id: string };

/**
 * Reads the service's statistics of these affiliates, and adds them up by currency and by
 * affiliate.
 */
export const readStatistics = async (
  shop: Shop,
  people: readonly KnownAffiliate[],
): Promise<Statistics> => {
  const all = await Promise.all(
    people.map(async (affiliate) => ({
      affiliate,
      stats: (await shop.send('GET', `/v1/affiliates/${affiliate.id}/stats`))
        .body as AffiliateStats,
    })),
  );
  const sumOf = (
    value: (stats: AffiliateStats['currencies'][number]) => number,
    currency: string,
  ): number =>
    all
      .flatMap(({ stats }) => stats.currencies)
      .filter((one) => one.currency === currency)
      .reduce((sum, one) => sum + value(one), 0);
  return {
    currencies: currencies.map((currency) => ({
      currency,
      orders: sumOf(({ conversions }) => conversions.total, currency),
      pending: sumOf(({ conversions }) => conversions.pending, currency),
      approved: sumOf(({ conversions }) => conversions.approved, currency),
      rejected: sumOf(({ conversions }) => conversions.rejected, currency),
      refunded: sumOf(({ conversions }) => conversions.refunded, currency),
      amount: sumOf(({ sale_amount }) => sale_amount.total, currency),
    })),
    affiliates: all.map(({ affiliate: { name, currency }, stats }) => ({
      name,
      currency,
      orders: stats.conversions.total,
      approved: stats.conversions.approved,
      amount: stats.currencies.reduce((sum, { sale_amount }) => sum + sale_amount.total, 0),
    })),
  };
};

/** The statistics as figures that the ledger compares. */
export const countedFigures = ({ currencies: rows }: Statistics): Figures => ({
  ...Object.fromEntries(
    (['orders', ...statuses] as const).map((label) => [
      label,
      rows.reduce((sum, row) => sum + row[label], 0),
    ]),
  ),
  ...Object.fromEntries(rows.map(({ currency, amount }) => [currency, amount])),
});

/** Reads all the service's sales, page by page. */
export const readSales = async (shop: Shop): Promise<readonly Sale[]> => {
  const sales: Sale[] = [];
  for (let cursor = ''; ;) {
    const page = (await shop.send('GET', `/v1/conversions?limit=50${cursor}`))
      .body as Page<Conversion>;
    sales.push(...page.data.map(saleOf));
    if (page.next_cursor === null) return sales;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
};
