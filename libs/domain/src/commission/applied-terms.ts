import {
  commissionUnder,
  noCommission,
  type Commission,
  type TermsInForce,
} from '@refledger/contracts';
import { commissionOf, type CommissionableSale } from './commission.js';

/** The commission of a conversion, as its record shows it. */
export interface CommissionResult {
  /** In the minor unit of the sale's currency. */
  readonly commission_amount: number;
  readonly commission: Commission;
}

/**
 * Returns what a sale earns under the terms that were in force when it was recorded, whose terms
 * those were, and why they pay that. Without terms it earns 0.
 */
export const appliedTerms = (
  sale: CommissionableSale,
  inForce: TermsInForce | null,
): CommissionResult => {
  if (inForce === null) return { commission_amount: 0, commission: noCommission };
  const { amount, why } = commissionOf(sale, inForce.terms);
  return { commission_amount: amount, commission: commissionUnder(inForce, why) };
};
