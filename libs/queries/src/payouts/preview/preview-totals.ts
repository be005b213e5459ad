import type { PayoutRunPreview } from '@refledger/contracts';
import type { PreviewRow } from './preview-walk.js';

type Totals = PayoutRunPreview['totals'][number];
type TotalsPart = Totals['negative'];

/** Adds up the balances that a run would pay or skip, per currency. */
export class PreviewTotals {
  private readonly byCurrency = new Map<string, Totals>();

  add({ currency, payout, isPayeeChanged }: PreviewRow): void {
    const before = this.byCurrency.get(currency) ?? nothingIn(currency);
    this.byCurrency.set(
      currency,
      payout.skipped === undefined
        ? withPayout(before, payout.amount, isPayeeChanged)
        : {
            ...before,
            [payout.skipped]: plus(before[payout.skipped], payout.amount),
            ...(payout.amount < 0n && { negative: plus(before.negative, payout.amount) }),
          },
    );
  }

  rows(): Totals[] {
    return [...this.byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }
}

const withPayout = (before: Totals, amount: bigint, isPayeeChanged: boolean): Totals => ({
  ...before,
  payouts: before.payouts + 1,
  amount: before.amount + amount,
  ...(isPayeeChanged && { payee_changed: plus(before.payee_changed, amount) }),
});

const plus = ({ balances, amount }: TotalsPart, more: bigint): TotalsPart => ({
  balances: balances + 1,
  amount: amount + more,
});

const none: TotalsPart = { balances: 0, amount: 0n };
const nothingIn = (currency: string): Totals => ({
  currency,
  payouts: 0,
  amount: 0n,
  nothing_payable: none,
  negative: none,
  not_approved: none,
  payout_hold: none,
  below_minimum: none,
  too_many_open_payouts: none,
  too_many_ranges: none,
  payee_changed: none,
});
