import {
  DomainError,
  streams,
  type AffiliateId,
  type EmailClaimEvent,
  type ProblemExtras,
  type ProgramId,
} from '@refledger/contracts';
import {
  affiliateDecider,
  emailClaimDecider,
  emailClaimHash,
  emailClaimVerdict,
  differencesFromHolder,
  type AffiliateState,
  type EmailClaim,
  type SentAffiliate,
} from '@refledger/domain';
import type { AppendResult, NewEvent } from '@refledger/event-log';
import { claimedAppend } from '../claims/claimed-append.js';
import { Claims, type ClaimVerdict } from '../claims/claims.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';

/** Events that set an email, and the revision of the affiliate that they were decided from. */
export interface ClaimedChange {
  readonly events: readonly NewEvent[];
  readonly affiliateId: AffiliateId;
  readonly programId: ProgramId;
  readonly email: string;
  /** The request that creates an affiliate; undefined if the events change one. */
  readonly sent: SentAffiliate | undefined;
  readonly revision: number | undefined;
  /** The account's random salt, which keeps stream names from revealing emails. */
  readonly salt: string;
  readonly context: CommandContext;
  /** Starts at 0 and rises by one each time the same command decides again. */
  readonly attempt: number;
}

type ClaimedEmail = Parameters<typeof emailClaimHash>[0];

/** Makes appends that set an email through a claim, so that it is unique within a program. */
export class EmailClaims {
  private readonly claims: Claims<EmailClaim, EmailClaimEvent>;

  constructor(private readonly commands: CommandHandler) {
    this.claims = new Claims(commands, emailClaimDecider);
  }

  /** The holder of the email's claim, if its append was made. Finishes it if necessary. */
  async holder({ salt, program_id, email }: ClaimedEmail): Promise<AffiliateId | undefined> {
    const { claim, appended } = await this.claims.loadAndComplete(
      streams.claim(emailClaimHash({ salt, program_id, email })),
    );
    return claim.state.kind === 'taken' && appended !== undefined
      ? claim.state.data.affiliate_id
      : undefined;
  }

  /**
   * Claims the email and appends the events. Undefined when the affiliate has changed since they
   * were decided: the command must decide again. Throws `affiliate_exists` when the email is taken.
   */
  append(change: ClaimedChange): Promise<AppendResult | undefined> {
    const { events, affiliateId, programId, email, revision, salt, context, attempt } = change;
    return this.claims.take({
      stream: streams.claim(emailClaimHash({ salt, program_id: programId, email })),
      data: {
        affiliate_id: affiliateId,
        append: claimedAppend(streams.affiliate(affiliateId), events, revision),
      },
      context,
      attempt,
      judge: (claim) => this.judge(claim, change),
    });
  }

  /**
   * An affiliate's own claim may be replaced as well, if the affiliate has not changed since the
   * decision.
   */
  private async judge(
    claim: EmailClaim,
    { email, affiliateId, revision, sent }: ClaimedChange,
  ): Promise<ClaimVerdict> {
    const holder = await this.commands.load(
      affiliateDecider,
      streams.affiliate(claim.affiliate_id),
    );
    const verdict = emailClaimVerdict(claim, holder.state, { email, affiliate_id: affiliateId });
    if (verdict.kind === 'taken')
      throw new DomainError(
        'affiliate_exists',
        `This email address belongs to affiliate ${verdict.affiliate_id} of the program. Use another address, or change that affiliate.`,
        { affiliate_id: verdict.affiliate_id, ...differing(sent, holder.state) },
      );
    return verdict.kind === 'void' || holder.revision === revision ? 'replace' : 'decide again';
  }
}

/** The fields of a new affiliate that differ from the holder of its email, if any do. */
const differing = (
  sent: SentAffiliate | undefined,
  holder: AffiliateState,
): Pick<ProblemExtras, 'errors'> => {
  if (sent === undefined || holder.kind !== 'present') return {};
  const errors = differencesFromHolder(sent, holder.record);
  return errors.length > 0 ? { errors } : {};
};
