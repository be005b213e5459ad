import {
  DomainError,
  eventIdOf,
  streams,
  type AffiliateId,
  type ClaimedAppend,
  type ProgramId,
} from '@refledger/contracts';
import {
  affiliateDecider,
  emailClaimDecider,
  emailClaimHash,
  emailClaimVerdict,
  type ClaimState,
  type EmailClaim,
} from '@refledger/domain';
import { encodeEvent, type Appended, type Loaded, type NewEvent } from '@refledger/event-log';
import { claimedAppend } from '../claims/claimed-append.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';

/** An event that sets an e-mail, and the revision of the affiliate that it was decided on. */
export interface ClaimedChange {
  readonly event: NewEvent;
  readonly affiliateId: AffiliateId;
  readonly programId: ProgramId;
  readonly email: string;
  readonly revision: number | undefined;
  /** The account's random salt, which keeps stream names from revealing e-mails. */
  readonly salt: string;
  readonly context: CommandContext;
  /** Starts at 0 and rises by one each time the same command decides again. */
  readonly attempt: number;
}

/**
 * Appends an event that sets an e-mail by way of a claim
 * (docs/adr/0004-email-claims-without-transactions.md). The claim names the exact append and is the
 * commit point. Any command that finds a claim first finishes that append, so an e-mail is unique
 * within a program without a transaction across two streams.
 */
export class EmailClaims {
  constructor(private readonly commands: CommandHandler) {}

  /**
   * Claims the e-mail and appends the event. Undefined when the affiliate has changed since the
   * event was decided on: the command must decide again. Throws `affiliate_exists` when the e-mail
   * is taken.
   */
  async append(change: ClaimedChange): Promise<Appended | undefined> {
    const { programId, email, salt, context, attempt, affiliateId, event, revision } = change;
    const stream = streams.claim(emailClaimHash({ salt, program_id: programId, email }));
    const append = claimedAppend(streams.affiliate(affiliateId), [event], revision);
    for (let round = 0; round < maxRounds; round++) {
      const claim = await this.commands.load(emailClaimDecider, stream);
      if (claim.state.kind === 'taken' && !(await this.mayReplace(claim, change))) return undefined;
      const [taken] = emailClaimDecider.decide(
        { type: 'take', data: { affiliate_id: affiliateId, append } },
        claim.state,
      );
      if (taken === undefined) return this.finish(append);
      const event = encodeEvent(
        taken,
        eventIdOf(context.commandId, stream, attempt * maxRounds + round, 0),
        this.commands.metadata(context, claim),
      );
      if (await this.commands.appendAt(stream, [event], claim.revision)) return this.finish(append);
    }
    throw new DomainError(
      'unavailable',
      'This e-mail address is being claimed concurrently. Retry the request.',
    );
  }

  /**
   * Finishes the append of the claim that was found. True when the claim is free, void, or this
   * affiliate's and the affiliate has not changed since; false when it has changed.
   */
  private async mayReplace(
    claim: Loaded<ClaimState<EmailClaim>>,
    { email, affiliateId, revision }: ClaimedChange,
  ): Promise<boolean> {
    if (claim.state.kind === 'free') return true;
    const { data } = claim.state;
    await this.finish(data.append);
    const holder = await this.commands.load(affiliateDecider, streams.affiliate(data.affiliate_id));
    const verdict = emailClaimVerdict(data, holder.state, { email, affiliate_id: affiliateId });
    if (verdict.kind === 'taken')
      throw new DomainError(
        'affiliate_exists',
        `This e-mail address belongs to affiliate ${verdict.affiliate_id} of the program. Use another address, or change that affiliate.`,
        { affiliate_id: verdict.affiliate_id },
      );
    return verdict.kind === 'void' || holder.revision === revision;
  }

  /**
   * Appends what the claim names, or finds it appended already. Undefined when the stream has other
   * events at that revision, so that this append can never succeed.
   */
  private finish({
    stream,
    expected_revision,
    events,
  }: ClaimedAppend): Promise<Appended | undefined> {
    return this.commands.appendAt(stream, events, expected_revision ?? undefined);
  }
}

const maxRounds = 20;
