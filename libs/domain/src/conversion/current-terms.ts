import type { SealedAffiliateRecord, TermsInForce } from '@refledger/contracts';
import { termsInForce } from '../commission/terms-in-force.js';
import type { ProgramState } from '../program/program.decider.js';

/**
 * Returns the terms that a new sale takes: its affiliate's, or the program's. Null when neither has
 * terms.
 */
export const currentTerms = (
  program: ProgramState,
  affiliate: SealedAffiliateRecord | undefined,
): TermsInForce | null =>
  termsInForce(
    program.kind === 'none'
      ? { terms: null, version: 0 }
      : { terms: program.record.terms, version: program.record.terms_version },
    { terms: affiliate?.commission ?? null, version: affiliate?.commission_version ?? 0 },
  );
