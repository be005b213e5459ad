import type { BalanceSummary, Position } from '@refledger/contracts';
import { payableOn, type BalanceFigures } from '@refledger/domain';

/** A summary, and the position that it reflects. */
export type SummaryAt = BalanceSummary & { readonly position: Position };

type Totals = BalanceSummary['currencies'][number];

/** Adds up open balances, per currency. */
export class SummaryTotals {
  private readonly byCurrency = new Map<string, Totals>();

  constructor(private readonly on: string) {}

  add(balance: BalanceFigures): void {
    const { currency } = balance.about;
    const before = this.byCurrency.get(currency) ?? { currency, ...nothing };
    const payable = payableOn(balance, this.on);
    const open = balance.open.reduce((sum, [, amount]) => sum + amount, 0n);
    this.byCurrency.set(currency, {
      currency,
      held: before.held + open - payable,
      payable: before.payable + (payable > 0n ? payable : 0n),
      negative: before.negative + (payable < 0n ? payable : 0n),
      in_payout: before.in_payout + balance.inPayout,
      balances: before.balances + 1,
    });
  }

  summary(position: Position): SummaryAt {
    return {
      object: 'balance_summary',
      on: this.on,
      currencies: [...this.byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      position,
    };
  }
}

const nothing = { held: 0n, payable: 0n, negative: 0n, in_payout: 0n, balances: 0 };
