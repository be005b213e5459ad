import type { Sale, Status } from './books.js';
import { currencies } from './people.js';

/** One figure as each of four places has it: the shop that sent, the service's lists, its statistics, and what webhooks alone have told the shop. */
export interface LedgerRow {
  readonly label: string;
  /** The currency that the figures are amounts of; absent for counts. */
  readonly currency?: string;
  readonly sent: number;
  readonly stored: number;
  readonly counted: number;
  readonly delivered: number;
  readonly agrees: boolean;
}

/** Something that must be so, and whether it is. */
export interface Check {
  readonly label: string;
  readonly found: string;
  readonly holds: boolean;
}

export interface Ledger {
  readonly rows: readonly LedgerRow[];
  readonly checks: readonly Check[];
  readonly agrees: boolean;
}

/** Sums over sales, by label: how they are added up is the same wherever they come from, but for the service's own statistics. */
export type Figures = Readonly<Record<string, number>>;

export const statuses: readonly Status[] = ['pending', 'approved', 'rejected', 'refunded'];

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

export const closeLedger = (
  places: {
    readonly sent: Figures;
    readonly stored: Figures;
    readonly counted: Figures;
    readonly delivered: Figures;
  },
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
