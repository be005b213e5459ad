import type { AffiliateStatus, NotEligible } from '@refledger/contracts';
import type { BalanceFigures } from './balance-figures.js';

/** What decides whether the owner of a balance can be paid. */
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

/**
 * Returns all reasons why a payout of this amount would take nothing, in the order in which they
 * are checked. The minimum is compared only with what could be paid at all.
 */
export const notEligibleFor = (
  payable: bigint,
  { status, payoutHold, minimum }: Payee,
): NotEligible[] => {
  const reasons: [NotEligible, boolean][] = [
    ['nothing_payable', payable <= 0n],
    ['not_approved', status !== 'approved'],
    ['payout_hold', payoutHold],
    ['below_minimum', payable > 0n && minimum !== null && payable < BigInt(minimum)],
  ];
  return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
};
