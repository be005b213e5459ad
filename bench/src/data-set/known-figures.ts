import type { ConversionRecord, ConversionStatus } from '@refledger/contracts';

/** The number of conversions and their sum in minor units, by status. */
export type ByStatus = Readonly<
  Record<ConversionStatus, { readonly count: number; readonly amount: number }>
>;

/** The figures of conversions, by affiliate and currency. */
export type KnownFigures = Readonly<Record<string, Readonly<Record<string, ByStatus>>>>;

/**
 * Adds up conversions while they are made, with its own code, so that the service's statistics can
 * be checked against it.
 */
export class FiguresOfConversions {
  private readonly figures: Record<
    string,
    Record<string, Record<ConversionStatus, { count: number; amount: number }>>
  > = {};

  /** Counts a conversion that became `after`. `before` is undefined for a new one. */
  changed(before: ConversionRecord | undefined, after: ConversionRecord): void {
    if (before !== undefined) this.add(before, -1);
    this.add(after, 1);
  }

  get known(): KnownFigures {
    return this.figures;
  }

  private add(
    { affiliate_id, sale_currency, status, sale_amount }: ConversionRecord,
    sign: 1 | -1,
  ): void {
    const currencies = (this.figures[affiliate_id] ??= {});
    const cell = (currencies[sale_currency] ??= nothing())[status];
    cell.count += sign;
    cell.amount += sign * sale_amount;
  }
}

/** The figures of all affiliates together, by currency. */
export const totalOf = (figures: KnownFigures): Readonly<Record<string, ByStatus>> => {
  const total: Record<string, ReturnType<typeof nothing>> = {};
  for (const currencies of Object.values(figures)) {
    for (const [currency, byStatus] of Object.entries(currencies)) {
      const sum = (total[currency] ??= nothing());
      for (const [status, { count, amount }] of Object.entries(byStatus) as [
        ConversionStatus,
        { count: number; amount: number },
      ][]) {
        sum[status].count += count;
        sum[status].amount += amount;
      }
    }
  }
  return total;
};

const nothing = () => ({
  pending: { count: 0, amount: 0 },
  approved: { count: 0, amount: 0 },
  rejected: { count: 0, amount: 0 },
  refunded: { count: 0, amount: 0 },
});
