import { hashOf } from '@refledger/contracts';
import type { AffiliateId, ClaimedAppend, EmailClaimEvent, ProgramId } from '@refledger/contracts';
import { affiliateRecord } from '../affiliate/affiliate.aggregate.js';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import type { Decider } from '../decider.js';

/** A claim with its affiliate, its append, and the revision of the claim's last event. */
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
 * Decides who holds an e-mail within a program
 * (docs/adr/0004-email-claims-without-transactions.md). `claimVerdict` decides whether an existing
 * claim may be replaced. A decision is valid only at the revision at which it was made: it is
 * appended with that revision as the expected one, and made again after a conflict.
 */
export const emailClaimDecider: Decider<EmailClaimCommand, EmailClaimState, EmailClaimEvent> = {
  initial: { kind: 'free' },
  decide: ({ affiliate_id, append }, state) =>
    state.kind === 'taken' && isSameAppend(state.append, append)
      ? []
      : [{ type: 'claim.taken', data: { affiliate_id, append } }],
  evolve: (_state, event, { revision }) => ({ kind: 'taken', ...event.data, revision }),
};

/** Whether two appends are one. An event id belongs to one append only, so the first ones decide. */
const isSameAppend = ({ events: [a] }: ClaimedAppend, { events: [b] }: ClaimedAppend): boolean =>
  a?.id === b?.id;

/**
 * Returns the hash that names the claim's stream. The account's random salt keeps anyone from
 * guessing it from an address.
 */
export const claimHash = (claim: { salt: string; program_id: ProgramId; email: string }): string =>
  hashOf('claim', claim.salt, claim.program_id, claim.email.toLowerCase()).toString('hex');

/** What a claim means for a command that wants its e-mail. */
export type ClaimVerdict =
  /** Another affiliate has this e-mail. */
  | { readonly kind: 'taken'; readonly affiliate_id: AffiliateId }
  /** The command's own affiliate has it: load that affiliate and decide on it again. */
  | { readonly kind: 'own' }
  /** No affiliate has it: the claim may be replaced at its revision. */
  | { readonly kind: 'void' };

/**
 * Judges a claim, for a command that wants `email` for `affiliate_id`. The claim's append must be
 * finished, and `holder` must be the state of its affiliate read after that.
 */
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
