import type { AffiliateStats, Conversion, Payout } from '@refledger/testing';
import { saleOf } from '../service/receiver.js';
import { amountsIn, statuses, type Figures } from './ledger.js';
import { currencies, type Affiliate } from '../day/people.js';
import type { AffiliatePay, Sale, Status } from '../day/sale.js';
import type { Shop } from '../service/shop.js';

export type KnownAffiliate = Affiliate & { readonly id: string };

/** The orders per status, and what they bring in and earn, in the minor unit of their currency. */
type Sums = Readonly<Record<'orders' | Status, number> & Record<'sales' | 'earned', bigint>>;

/** The service's own statistics by currency and by affiliate. */
export interface Statistics {
  readonly currencies: readonly (Sums & { readonly currency: string })[];
  readonly affiliates: readonly (Sums & { readonly name: string; readonly currency: string })[];
}

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
  return {
    currencies: currencies.map((currency) => ({
      currency,
      ...sumsOf(
        all.flatMap(({ stats }) => stats.currencies.filter((one) => one.currency === currency)),
      ),
    })),
    affiliates: all.map(({ affiliate: { name, program }, stats }) => ({
      name,
      currency: program.currency,
      ...sumsOf(stats.currencies),
    })),
  };
};

const sumsOf = (parts: AffiliateStats['currencies']): Sums => {
  const count = (status: 'total' | Status): number =>
    parts.reduce((sum, { conversions }) => sum + conversions[status], 0);
  return {
    orders: count('total'),
    pending: count('pending'),
    approved: count('approved'),
    rejected: count('rejected'),
    refunded: count('refunded'),
    sales: parts.reduce((sum, { sale_amount }) => sum + BigInt(sale_amount.total), 0n),
    earned: parts.reduce(
      (sum, { commission_amount }) => sum + BigInt(commission_amount.approved),
      0n,
    ),
  };
};

/** The statistics as figures that the ledger compares. */
export const countedFigures = ({ currencies: rows }: Statistics): Figures => ({
  ...Object.fromEntries(
    (['orders', ...statuses] as const).map((label) => [
      label,
      BigInt(rows.reduce((sum, row) => sum + row[label], 0)),
    ]),
  ),
  ...Object.fromEntries(rows.flatMap((row) => amountsIn(row.currency, row))),
});

/** Reads all the service's sales. */
export const readSales = async (shop: Shop): Promise<readonly Sale[]> =>
  (await shop.all<Conversion>('/v1/conversions')).map(saleOf);

/** Reads what the service's payouts have paid. */
export const readPaid = async (shop: Shop): Promise<readonly AffiliatePay[]> =>
  (await shop.all<Payout>('/v1/payouts'))
    .filter(({ status }) => status === 'completed')
    .map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }));
