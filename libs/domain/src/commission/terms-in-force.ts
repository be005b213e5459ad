import type { AffiliateTerms, Terms, TermsInForce } from '@refledger/contracts';
import { defaultHoldDays } from './stored-terms.js';

/** The terms of a program or, as an override, of an affiliate; null when it has none. */
interface VersionedTerms<T> {
  readonly terms: T | null;
  /** Counts the changes to the terms; 0 when there never were any. */
  readonly version: number;
}

/**
 * Returns the terms that a sale takes: the affiliate's override if there is one, and otherwise the
 * program's. An override without hold days takes the program's. Null when neither has terms.
 */
export const termsInForce = (
  program: VersionedTerms<Terms>,
  affiliate: VersionedTerms<AffiliateTerms>,
): TermsInForce | null => {
  if (affiliate.terms !== null) {
    const hold_days = affiliate.terms.hold_days ?? program.terms?.hold_days ?? defaultHoldDays;
    return {
      source: 'affiliate',
      version: affiliate.version,
      terms: { ...affiliate.terms, hold_days },
    };
  }
  return program.terms === null
    ? null
    : { source: 'program', version: program.version, terms: program.terms };
};
