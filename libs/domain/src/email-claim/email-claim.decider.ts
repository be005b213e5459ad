import { emailKey, hashOf } from '@refledger/contracts';
import type { AffiliateId, EmailClaimEvent, ProgramId } from '@refledger/contracts';
import { affiliateRecord } from '../affiliate/affiliate.aggregate.js';
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

/**
 * Returns the hash that names the claim's stream. The account's random salt keeps anyone from
 * guessing it from an address.
 */
export const emailClaimHash = (claim: {
  salt: string;
  program_id: ProgramId;
  email: string;
}): string => hashOf('claim', claim.salt, claim.program_id, emailKey(claim.email)).toString('hex');

/** The verdict of a claim on a command that wants its email. */
export type EmailClaimVerdict =
  /** Another affiliate has this email. */
  | { readonly kind: 'taken'; readonly affiliate_id: AffiliateId }
  /** The command's own affiliate has it: load that affiliate and decide on it again. */
  | { readonly kind: 'own' }
  /** No affiliate has it: the claim may be replaced at its revision. */
  | { readonly kind: 'void' };

/**
 * Judges a claim, for a command that wants `email` for `affiliate_id`. The claim's append must be
 * finished, and `holder` must be the state of its affiliate read after that.
 */
export const emailClaimVerdict = (
  claim: EmailClaim,
  holder: AffiliateState,
  wanted: { email: string; affiliate_id: AffiliateId },
): EmailClaimVerdict => {
  const held = affiliateRecord(holder)?.email;
  if (held === undefined || emailKey(held) !== emailKey(wanted.email)) return { kind: 'void' };
  return claim.affiliate_id === wanted.affiliate_id
    ? { kind: 'own' }
    : { kind: 'taken', affiliate_id: claim.affiliate_id };
};
