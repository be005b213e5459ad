import type { ConversionRecord, ConversionStatus } from '@refledger/contracts';

/** Conversions and their sum in minor units, by status. */
export type ByStatus = Readonly<
  Record<ConversionStatus, { readonly count: number; readonly amount: number }>
>;

/** What conversions add up to, by affiliate and currency. */
export type KnownFigures = Readonly<Record<string, Readonly<Record<string, ByStatus>>>>;

/** Adds conversions up while they are made, by code of its own, so that the service's statistics can be held against it. */
export class FiguresOfConversions {
  private readonly figures: Record<
    string,
    Record<string, Record<ConversionStatus, { count: number; amount: number }>>
  > = {};

  /** A conversion became `after`; `before` is undefined when it is new. */
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

/** What all affiliates add up to, by currency. */
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
