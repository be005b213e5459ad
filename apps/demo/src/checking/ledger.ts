import type { AffiliatePay, Sale, Status } from '../day/sale.js';
import { currencies } from '../day/people.js';

/**
 * The four sources of the figures: the shop's orders, the service's lists, its statistics, and the
 * webhooks that the shop received.
 */
type Source = 'sent' | 'stored' | 'counted' | 'delivered';

/** One figure from each source. */
interface LedgerRow extends Readonly<Record<Source, bigint>> {
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
export type Figures = Readonly<Record<string, bigint>>;

export const statuses: readonly Status[] = ['pending', 'approved', 'rejected', 'refunded'];

/** The lines of the ledger, in order. Those with a currency are amounts in its minor unit. */
const lines: readonly Pick<LedgerRow, 'label' | 'currency'>[] = [
  ...['orders', ...statuses].map((label) => ({ label })),
  ...currencies.flatMap((currency) =>
    ['sales', 'earned', 'paid'].map((amount) => ({ label: `${currency} ${amount}`, currency })),
  ),
];

/** The labels and figures of one currency: what was sold, and what the affiliates earn from it. */
export const amountsIn = (
  currency: string,
  { sales, earned }: { readonly sales: bigint; readonly earned: bigint },
): [string, bigint][] => [
  [`${currency} sales`, sales],
  [`${currency} earned`, earned],
];

/**
 * The number of orders, the orders per status, and the amounts per currency in minor units.
 * Refunded amounts still count as sold.
 */
export const figuresOf = (sales: readonly Sale[]): Figures => ({
  orders: BigInt(sales.length),
  ...Object.fromEntries(
    statuses.map((status) => [
      status,
      BigInt(sales.filter((sale) => sale.status === status).length),
    ]),
  ),
  ...Object.fromEntries(
    currencies.flatMap((currency) => {
      const own = sales.filter((sale) => sale.currency === currency);
      return amountsIn(currency, {
        sales: own.reduce((sum, { amount }) => sum + amount, 0n),
        earned: own.reduce((sum, { earned }) => sum + earned, 0n),
      });
    }),
  ),
});

/** The amounts paid per currency, in minor units. */
export const paidFigures = (payouts: Iterable<AffiliatePay>): Figures => {
  const figures = Object.fromEntries(currencies.map((currency) => [`${currency} paid`, 0n]));
  for (const { currency, amount } of payouts)
    figures[`${currency} paid`] = (figures[`${currency} paid`] ?? 0n) + amount;
  return figures;
};

/**
 * Compares the figures of the four sources. The ledger agrees if all figures are equal and every
 * check holds.
 */
export const closeLedger = (
  places: Readonly<Record<Source, Figures>>,
  checks: readonly Check[],
): Ledger => {
  const rows = lines.map((line): LedgerRow => {
    const { label } = line;
    const [sent = 0n, stored = 0n, counted = 0n, delivered = 0n] = [
      places.sent[label],
      places.stored[label],
      places.counted[label],
      places.delivered[label],
    ];
    return {
      ...line,
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
