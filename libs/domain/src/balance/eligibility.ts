import type { AffiliateStatus, SkipReason } from '@refledger/contracts';
import type { BalanceFigures } from './balance-figures.js';
import { maxRangeAmount } from './buckets.js';
import { maxPayoutRanges } from './payout-lines.js';
import { maxOpenPayouts } from './reserved-payout.js';

/** The facts that decide whether the owner of a balance can be paid. */
export interface Payee {
  /** The status of the affiliate; undefined once it is deleted. */
  readonly status: AffiliateStatus | undefined;
  readonly payoutHold: boolean;
  /** The program's minimum payout in the balance's currency; null if it has none. */
  readonly minimum: number | null;
}

/** Returns the sum of the open entries that are payable on this day. */
export const payableOn = ({ open }: Pick<BalanceFigures, 'open'>, day: string): bigint =>
  open.reduce((sum, [payableOn, amount]) => (payableOn <= day ? sum + amount : sum), 0n);

/** Returns how many ranges the open entries are in that are payable on this day. */
const rangesOn = ({ ranges }: Pick<BalanceFigures, 'ranges'>, day: string): number =>
  ranges.reduce((sum, [payableOn, count]) => (payableOn <= day ? sum + count : sum), 0);

/**
 * Returns all reasons why a run would take nothing from a balance on this day, in the order in
 * which they are checked. The minimum is compared only with what could be paid at all.
 */
export const notEligibleFor = (
  figures: Pick<BalanceFigures, 'open' | 'ranges' | 'openPayouts'>,
  day: string,
  { status, payoutHold, minimum }: Payee,
): SkipReason[] => {
  const payable = payableOn(figures, day);
  const reasons: [SkipReason, boolean][] = [
    ['nothing_payable', payable <= 0n],
    ['not_approved', status !== 'approved'],
    ['payout_hold', payoutHold],
    ['below_minimum', payable > 0n && minimum !== null && payable < BigInt(minimum)],
    ['too_many_open_payouts', figures.openPayouts >= maxOpenPayouts],
    ['too_many_ranges', payable > maxRangeAmount || rangesOn(figures, day) > maxPayoutRanges],
  ];
  return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
};
