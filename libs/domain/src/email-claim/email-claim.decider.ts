import { hashOf } from '@refledger/contracts';
import type { AffiliateId, EmailClaimEvent, ProgramId } from '@refledger/contracts';
import { affiliateRecord } from '../affiliate/affiliate.decider.js';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import type { Decider } from '../decider.js';

/** The exact append that a claim stands for; whoever meets the claim can finish it. */
export type ClaimedAppend = EmailClaimEvent['data']['append'];

export interface TakenClaim {
  readonly kind: 'taken';
  readonly affiliate_id: AffiliateId;
  readonly append: ClaimedAppend;
  readonly revision: number;
}
export type EmailClaimState = { readonly kind: 'free' } | TakenClaim;

export interface EmailClaimCommand {
  readonly type: 'take';
  readonly affiliate_id: AffiliateId;
  readonly append: ClaimedAppend;
}

/**
 * Who holds an e-mail within a program (docs/adr/0004-email-claims-without-transactions.md). Whether a claim that stands may be replaced is `claimVerdict`'s matter;
 * a decision holds only for the revision that it was made on, so it is appended with that revision and after a conflict judged anew.
 */
export const emailClaimDecider: Decider<EmailClaimCommand, EmailClaimState, EmailClaimEvent> = {
  initial: { kind: 'free' },
  decide: ({ affiliate_id, append }, state) =>
    state.kind === 'taken' && state.append.event.id === append.event.id
      ? []
      : [{ type: 'claim.taken', data: { affiliate_id, append } }],
  evolve: (_state, event, { revision }) => ({ kind: 'taken', ...event.data, revision }),
};

/** What names the claim's stream. The account's random salt keeps it from being guessed from an address. */
export const claimHash = ({
  salt,
  program_id,
  email,
}: {
  salt: string;
  program_id: ProgramId;
  email: string;
}): string => hashOf('claim', salt, program_id, email.toLowerCase()).toString('hex');

export type ClaimVerdict =
  /** Somebody else has this e-mail. */
  | { readonly kind: 'taken'; readonly affiliate_id: AffiliateId }
  /** The command's own affiliate has it: load it and decide on it again. */
  | { readonly kind: 'own' }
  /** Nobody has it: the claim may be replaced at its revision. */
  | { readonly kind: 'void' };

/** Judges a claim whose append is finished, by its holder's state read after that, for a command that wants `email` for `affiliate_id`. */
export const claimVerdict = (
  claim: TakenClaim,
  holder: AffiliateState,
  wanted: { email: string; affiliate_id: AffiliateId },
): ClaimVerdict => {
  if (affiliateRecord(holder)?.email.toLowerCase() !== wanted.email.toLowerCase())
    return { kind: 'void' };
  return claim.affiliate_id === wanted.affiliate_id
    ? { kind: 'own' }
    : { kind: 'taken', affiliate_id: claim.affiliate_id };
};
