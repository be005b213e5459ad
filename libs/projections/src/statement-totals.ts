import type { StatementTotalsDocument } from './statement-totals.projection.js';

/** The totals of the statements of a month in one currency. */
export interface CurrencyTotals {
  readonly currency: string;
  readonly opening: bigint;
  readonly earned: bigint;
  readonly adjusted: bigint;
  readonly paid: bigint;
  readonly closing: bigint;
  /** How many balances have an entry by the end of the month. */
  readonly balances: number;
}

/** Adds up the totals of all months of an account up to one of them. */
export class StatementTotals {
  private readonly byCurrency = new Map<string, CurrencyTotals>();

  constructor(private readonly month: string) {}

  add(document: StatementTotalsDocument): void {
    const { currency } = document;
    const before = this.byCurrency.get(currency) ?? { ...nothing, currency };
    const earned = BigInt(document.earned);
    const adjusted = BigInt(document.adjusted);
    const paid = BigInt(document.paid);
    const change = earned + adjusted + paid;
    const isOwn = document.month === this.month;
    this.byCurrency.set(currency, {
      ...before,
      ...(isOwn ? { earned, adjusted, paid } : { opening: before.opening + change }),
      closing: before.closing + change,
      balances: before.balances + document.balances,
    });
  }

  /** The totals by currency, in the order of their codes. */
  rows(): readonly CurrencyTotals[] {
    return [...this.byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }
}

const nothing = { opening: 0n, earned: 0n, adjusted: 0n, paid: 0n, closing: 0n, balances: 0 };
