import { DomainError, type ProblemCode, type SkipReason } from '@refledger/contracts';

/**
 * Returns why a run skips a balance whose payout failed with this error. Throws the error if it
 * says nothing about the balance.
 */
export const skipReasonOf = (error: unknown): SkipReason => {
  const reason = error instanceof DomainError ? reasons[error.code] : undefined;
  if (reason === undefined) throw error;
  return reason;
};

const reasons: Readonly<Partial<Record<ProblemCode, SkipReason>>> = {
  nothing_payable: 'nothing_payable',
  affiliate_not_active: 'not_approved',
  payout_hold: 'payout_hold',
  below_minimum: 'below_minimum',
  too_many_open_payouts: 'too_many_open_payouts',
  too_many_ranges: 'too_many_ranges',
};
