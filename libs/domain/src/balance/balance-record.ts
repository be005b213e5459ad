import type { BalanceRecord, Position } from '@refledger/contracts';
import type { BalanceFigures } from './balance-figures.js';
import { notEligibleFor, payableOn, type Payee } from './eligibility.js';

/** The inputs of a balance's record besides its figures. */
export interface BalanceView {
  /** The day that decides whether a payout run would pay the balance. */
  readonly today: string;
  /** The day that separates payable from held: today or a later one. */
  readonly on: string;
  /** The position that the figures reflect. */
  readonly position: Position;
  /** When the balance was opened, and when its last event was recorded. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly payee: Payee;
}

/** Returns a balance as the API shows it. */
export const balanceRecord = (figures: BalanceFigures, view: BalanceView): BalanceRecord => {
  const { about, earned, adjusted, inPayout, paid, open, entries, chain } = figures;
  const { today, on, position, createdAt, updatedAt, payee } = view;
  const held = open.filter(([day]) => day > on);
  const reasons = notEligibleFor(figures, today, payee);
  return {
    id: about.balance_id,
    object: 'balance',
    affiliate_id: about.affiliate_id,
    program_id: about.program_id,
    currency: about.currency,
    earned,
    adjusted,
    held: held.reduce((sum, [, amount]) => sum + amount, 0n),
    payable: payableOn(figures, on),
    in_payout: inPayout,
    paid,
    on,
    schedule: held.map(([payable_on, amount]) => ({ payable_on, amount })),
    minimum: payee.minimum,
    eligible: reasons.length === 0,
    not_eligible: reasons,
    entries,
    chain,
    created_at: createdAt,
    updated_at: updatedAt,
    position,
  };
};
