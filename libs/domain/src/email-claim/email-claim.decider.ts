import {
  hashOf,
  type AffiliateHashes,
  type AffiliateId,
  type EmailClaimEvent,
  type ProgramId,
} from '@refledger/contracts';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { claimDecider } from '../claim/claim.decider.js';

/** An affiliate and the append that gives it the email. */
export type EmailClaim = EmailClaimEvent['data'];

/**
 * Decides who holds an email within a program. `emailClaimVerdict` decides whether an existing
 * claim may be replaced.
 */
export const emailClaimDecider = claimDecider((data: EmailClaim): EmailClaimEvent => ({
  type: 'claim.taken',
  data,
}));

/** Returns the hash that names the claim's stream. */
export const emailClaimHash = (claim: {
  readonly program_id: ProgramId;
  readonly email_hash: AffiliateHashes['email'];
}): string => hashOf('claim', claim.program_id, claim.email_hash).toString('hex');

/** The verdict of a claim on a command that wants its email. */
export type EmailClaimVerdict =
  /** Another affiliate has this email. */
  | { readonly kind: 'taken'; readonly affiliate_id: AffiliateId }
  /** The command's own affiliate has it: load that affiliate and decide on it again. */
  | { readonly kind: 'own' }
  /** No affiliate has it: the claim may be replaced at its revision. */
  | { readonly kind: 'void' };

/**
 * Judges a claim, for a command that wants its email for `affiliate_id`. The
 * claim's append must be finished, and `holder` must be the state of its affiliate read after that.
 */
export const emailClaimVerdict = (
  claim: EmailClaim,
  holder: AffiliateState,
  wanted: { readonly email_hash: AffiliateHashes['email']; readonly affiliate_id: AffiliateId },
): EmailClaimVerdict => {
  if (holder.kind !== 'present' || holder.hashes.email !== wanted.email_hash)
    return { kind: 'void' };
  return claim.affiliate_id === wanted.affiliate_id
    ? { kind: 'own' }
    : { kind: 'taken', affiliate_id: claim.affiliate_id };
};
