import {
  DomainError,
  streams,
  type AffiliateHashes,
  type AffiliateId,
  type EmailClaimEvent,
  type ProblemExtras,
  type ProgramId,
  type StreamName,
} from '@refledger/contracts';
import {
  affiliateDecider,
  differencesFromHolder,
  emailClaimDecider,
  emailClaimHash,
  emailClaimVerdict,
  type AffiliateState,
  type EmailClaim,
  type SentAffiliate,
} from '@refledger/domain';
import type { AppendResult, NewEvent } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import { claimedAppend } from '../claims/claimed-append.js';
import { Claims, type ClaimVerdict, type ExistingClaim } from '../claims/claims.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';

/** An email that a command wants for an affiliate. */
export interface WantedEmail {
  readonly programId: ProgramId;
  readonly emailHash: AffiliateHashes['email'];
  readonly affiliateId: AffiliateId;
  /** The request that creates an affiliate; undefined if the command changes one. */
  readonly sent: SentAffiliate | undefined;
  /** The revision of the affiliate that was decided on; undefined if there is none. */
  readonly revision: number | undefined;
}

/** An email that is free for a command, as its claim was judged. */
export interface FreeEmail extends WantedEmail {
  readonly existing: ExistingClaim<EmailClaim>;
}

/** Makes appends that set an email through a claim, so that it is unique within a program. */
export class EmailClaims {
  private readonly claims: Claims<EmailClaim, EmailClaimEvent>;

  constructor(
    private readonly commands: CommandHandler,
    private readonly personalData: Pick<PersonalData, 'openAffiliate' | 'isErased'>,
  ) {
    // a log may be restored to between a claim and its append, beside a newer key store
    const mayStart = async ({ affiliate_id }: EmailClaim) =>
      !(await personalData.isErased(affiliate_id));
    this.claims = new Claims(commands, emailClaimDecider, mayStart);
  }

  /** The holder of the email's claim, if its append was made. Finishes it if necessary. */
  async holder(
    email: Pick<WantedEmail, 'programId' | 'emailHash'>,
  ): Promise<AffiliateId | undefined> {
    const { claim, appended } = await this.claims.loadAndComplete(claimStream(email));
    return claim.state.kind === 'taken' && appended !== undefined
      ? claim.state.data.affiliate_id
      : undefined;
  }

  /**
   * Judges the claim on an email. Undefined when the affiliate has changed since it was decided on:
   * the command must decide again. Throws `affiliate_exists` when the email is taken.
   */
  async judged(wanted: WantedEmail): Promise<FreeEmail | undefined> {
    const existing = await this.claims.judged(claimStream(wanted), (claim) =>
      this.judge(claim, wanted),
    );
    return existing && { ...wanted, existing };
  }

  /** Claims a free email and appends the events. Undefined when the command must decide again. */
  append(
    { existing, ...email }: FreeEmail,
    events: readonly NewEvent[],
    by: { readonly context: CommandContext; readonly attempt: number },
  ): Promise<AppendResult | undefined> {
    const { affiliateId, revision } = email;
    return this.claims.takeJudged(existing, {
      stream: claimStream(email),
      data: {
        affiliate_id: affiliateId,
        append: claimedAppend(streams.affiliate(affiliateId), events, revision),
      },
      ...by,
    });
  }

  /**
   * An affiliate's own claim may be replaced as well, if the affiliate has not changed since the
   * decision.
   */
  private async judge(claim: EmailClaim, wanted: WantedEmail): Promise<ClaimVerdict> {
    const { emailHash: email_hash, affiliateId: affiliate_id, revision, sent } = wanted;
    const holder = await this.commands.load(
      affiliateDecider,
      streams.affiliate(claim.affiliate_id),
    );
    const verdict = emailClaimVerdict(claim, holder.state, { email_hash, affiliate_id });
    if (verdict.kind === 'taken') {
      const differing = await this.differing(sent, holder.state);
      if (differing === undefined) return 'decide again';
      throw new DomainError(
        'affiliate_exists',
        `This email address belongs to affiliate ${verdict.affiliate_id} of the program. Use another address, or change that affiliate.`,
        { affiliate_id: verdict.affiliate_id, ...differing },
      );
    }
    return verdict.kind === 'void' || holder.revision === revision ? 'replace' : 'decide again';
  }

  /**
   * The fields of a new affiliate that differ from the holder of its email, if any do. Undefined if
   * the holder was erased meanwhile.
   */
  private async differing(
    sent: SentAffiliate | undefined,
    holder: AffiliateState,
  ): Promise<Pick<ProblemExtras, 'errors'> | undefined> {
    if (sent === undefined) return {};
    const opened = await this.personalData.openAffiliate(holder);
    if (opened?.affiliate.kind !== 'present') return undefined;
    const errors = differencesFromHolder(sent, opened.affiliate.record);
    return errors.length > 0 ? { errors } : {};
  }
}

/** The stream of the claim on an email. */
export const claimStream = ({
  programId: program_id,
  emailHash: email_hash,
}: Pick<WantedEmail, 'programId' | 'emailHash'>): StreamName =>
  streams.claim(emailClaimHash({ program_id, email_hash }));
