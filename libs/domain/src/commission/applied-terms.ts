import { commissionOf, type CommissionableSale, type CommissionReason } from './commission.js';
import type { TermsInForce } from './terms-in-force.js';

/** What a conversion earns, as its record shows it. */
interface AppliedTerms {
  /** In the minor unit of the sale's currency. */
  readonly commission_amount: number;
  readonly commission: {
    readonly source: TermsInForce['source'] | 'none';
    readonly terms_version: number | null;
    readonly type: TermsInForce['terms']['type'] | null;
    /** Basis points; null unless the terms are a percentage. */
    readonly rate_bps: number | null;
    readonly why: CommissionReason | 'no_terms';
  };
}

/**
 * Returns what a sale earns under the terms that were in force when it was recorded, whose terms
 * those were, and why they pay that. Without terms it earns 0.
 */
export const appliedTerms = (
  sale: CommissionableSale,
  inForce: TermsInForce | null,
): AppliedTerms => {
  if (inForce === null) return { commission_amount: 0, commission: withoutTerms };
  const { source, version, terms } = inForce;
  const { amount, why } = commissionOf(sale, terms);
  return {
    commission_amount: amount,
    commission: {
      source,
      terms_version: version,
      type: terms.type,
      rate_bps: terms.type === 'percentage' ? terms.rate_bps : null,
      why,
    },
  };
};

const withoutTerms = {
  source: 'none',
  terms_version: null,
  type: null,
  rate_bps: null,
  why: 'no_terms',
} as const;
