import type { Sale, Status } from './books.js';
import { currencies } from '../day/people.js';

/**
 * The four sources of the figures: the shop's orders, the service's lists, its statistics, and the
 * webhooks that the shop received.
 */
type Source = 'sent' | 'stored' | 'counted' | 'delivered';

/** One figure from each source. */
interface LedgerRow extends Readonly<Record<Source, number>> {
  readonly label: string;
  /** The currency of the figures if they are amounts; absent for counts. */
  readonly currency?: string;
  readonly agrees: boolean;
}

/** A condition that must hold, and whether it does. */
export interface Check {
  readonly label: string;
  readonly found: string;
  readonly holds: boolean;
}

/** The comparison of all sources, and whether they agree. */
export interface Ledger {
  readonly rows: readonly LedgerRow[];
  readonly checks: readonly Check[];
  readonly agrees: boolean;
}

/**
 * Sums over sales, by label. All sources use the same code to add them up, except for the service's
 * own statistics.
 */
export type Figures = Readonly<Record<string, number>>;

export const statuses: readonly Status[] = ['pending', 'approved', 'rejected', 'refunded'];

/** The number of orders, the orders per status, and the sales per currency in minor units. */
export const figuresOf = (sales: readonly Sale[]): Figures => ({
  orders: sales.length,
  ...Object.fromEntries(
    statuses.map((status) => [status, sales.filter((sale) => sale.status === status).length]),
  ),
  ...Object.fromEntries(
    currencies.map((currency) => [
      currency,
      sales
        .filter((sale) => sale.currency === currency)
        .reduce((sum, { amount }) => sum + amount, 0),
    ]),
  ),
});

/**
 * Compares the figures of the four sources. The ledger agrees if all figures are equal and every
 * check holds.
 */
export const closeLedger = (
  places: Readonly<Record<Source, Figures>>,
  checks: readonly Check[],
): Ledger => {
  const rows = ['orders', ...statuses, ...currencies].map((label): LedgerRow => {
    const [sent = 0, stored = 0, counted = 0, delivered = 0] = [
      places.sent[label],
      places.stored[label],
      places.counted[label],
      places.delivered[label],
    ];
    const currency = currencies.find((code) => code === label);
    return {
      label,
      ...(currency !== undefined && { currency }),
      sent,
      stored,
      counted,
      delivered,
      agrees: [stored, counted, delivered].every((figure) => figure === sent),
    };
  });
  return {
    rows,
    checks,
    agrees: rows.every(({ agrees }) => agrees) && checks.every(({ holds }) => holds),
  };
};
