import { setTimeout as sleep } from 'node:timers/promises';
import {
  derivedId,
  DomainError,
  eventIdOf,
  normalizeCurrency,
  streams,
  type BalanceId,
  type ClaimedAppend,
  type NewPayout,
  type PayoutId,
  type RunId,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import {
  claimedAppend,
  type AccountContext,
  type CommandHandler,
  type Reader,
} from '@refledger/application';
import {
  balanceDecider,
  balanceIdOf,
  newPayout,
  payoutDecider,
  requireSamePayout,
  type PayoutState,
} from '@refledger/domain';
import { encodeEvent, nothingLoaded, type EventLog, type LoadedStream } from '@refledger/event-log';
import { Chapters, type BalanceOwner, type Chapter, type ChaptersOptions } from '../chapters.js';
import { heldAppend } from './held-append.js';
import { payeeOf, type Payee } from './payee-of.js';

export interface PayoutsParts {
  readonly log: EventLog;
  readonly commands: CommandHandler;
  /**
   * Resolves once posting has reached what is now the end of the log. Throws `ledger_behind` if
   * that takes too long.
   */
  readonly settle: (caller: Reader) => Promise<void>;
}

/** The outcome of a request for a payout. */
export interface CreatedPayout extends LoadedStream<PayoutState> {
  /** This request reserved its lines; otherwise an earlier one did. */
  readonly isNew: boolean;
}

/**
 * Creates payouts. The reservation in the balance is the commit point: it holds the exact event
 * that creates the payout, and whoever finds the reservation appends that event
 * (docs/adr/0036-prevent-double-payouts.md).
 */
export class Payouts {
  private readonly chapters: Chapters;

  constructor(
    private readonly parts: PayoutsParts,
    options: ChaptersOptions = {},
  ) {
    this.chapters = new Chapters(parts.log, parts.commands, options);
  }

  /** Creates the payout with this id, or finds that it was created before. */
  async create(
    payout_id: PayoutId,
    payout: NewPayout,
    { context, caller }: { readonly context: AccountContext; readonly caller: Reader },
  ): Promise<CreatedPayout> {
    const existing = await this.existing(payout_id, payout);
    if (existing !== undefined) return existing;
    await this.parts.settle(caller);
    return this.pay({ payout_id, payout, run_id: null, context });
  }

  /**
   * Does the same for a payout of a run, which has waited for posting. Throws the problem that
   * prevents the payout.
   */
  async createForRun(
    { run_id, balance_id }: { readonly run_id: RunId; readonly balance_id: BalanceId },
    payout: NewPayout,
    context: AccountContext,
  ): Promise<void> {
    const payout_id = derivedId('payout', context.accountId, 'run', run_id, balance_id);
    await this.pay({ payout_id, payout, run_id, context });
  }

  private async pay(asked: Pick<PayoutRequest, 'payout_id' | 'payout' | 'run_id' | 'context'>) {
    const { payout, context } = asked;
    const { commands } = this.parts;
    const payee = await payeeOf(commands, context.accountId, payout.affiliate_id);
    return this.reserve({ ...asked, ...payee });
  }

  /**
   * Always loads the balance first, then looks for the payout, then appends at the loaded revision:
   * any other order could reserve the same payout twice.
   */
  private async reserve(asked: PayoutRequest): Promise<CreatedPayout> {
    const { payout_id, payout, context } = asked;
    const owner = ownerOf(asked);
    for (let attempt = 0; attempt < maxAttempts;) {
      const chapter = owner && (await this.chapters.latest(owner));
      await this.finish(owner, chapter, payout_id);
      const existing = await this.existing(payout_id, payout);
      if (existing !== undefined) return existing;
      const decided = this.decide(asked, chapter, attempt);
      if (owner === undefined || chapter === undefined)
        throw new TypeError(`payout ${payout_id} has no balance to take its lines from`);
      const events = balanceDecider.decide(
        { type: 'reserve', payout: decided, chapterLength: this.chapters.length },
        chapter.state,
      );
      const { recordedAt } = decided;
      const next = await this.chapters.append(owner, chapter, events, { context, recordedAt });
      if (next === undefined) await sleep(Math.random() * Math.min(5 * 2 ** attempt++, 200));
      else if (payout_id in next.state.inFlight)
        return this.created(payout_id, payout, decided.append);
    }
    throw new DomainError(
      'unavailable',
      `The balance of this payout was changed concurrently ${maxAttempts} times in a row. Retry the request.`,
    );
  }

  /** The payout, and the append that creates it. Throws the problem that prevents it. */
  private decide(
    { payout_id, context, ...asked }: PayoutRequest,
    chapter: Chapter | undefined,
    attempt: number,
  ) {
    const { commands } = this.parts;
    const recordedAt = commands.instant();
    const balance = chapter?.state ?? balanceDecider.initial;
    const created = newPayout({ payout_id, ...asked, balance, recordedAt });
    const stream = streams.payout(payout_id);
    const id = eventIdOf(context.commandId, stream, attempt, 0);
    const metadata = commands.metadata(context, nothingLoaded(payoutDecider), recordedAt);
    const append = claimedAppend(stream, [encodeEvent(created, id, metadata)], undefined);
    return { created: created.data, append, recordedAt };
  }

  /** Makes the append of a reservation that an earlier attempt left behind. */
  private async finish(
    owner: BalanceOwner | undefined,
    chapter: Chapter | undefined,
    payout_id: PayoutId,
  ): Promise<void> {
    const reservation = chapter?.state.inFlight[payout_id];
    if (owner === undefined || reservation === undefined) return;
    const { log, commands } = this.parts;
    const { stream, events } = await heldAppend(log, owner.about.balance_id, reservation);
    await commands.appendAt(stream, events, undefined);
  }

  /** Creates the payout that was just reserved. */
  private async created(
    payout_id: PayoutId,
    payout: NewPayout,
    { stream, events }: ClaimedAppend,
  ): Promise<CreatedPayout> {
    const appended = await this.parts.commands.appendAt(stream, events, undefined);
    const existing = await this.existing(payout_id, payout);
    if (existing === undefined)
      throw new Error(`${stream} has no events, although its reservation was made`);
    return { ...existing, isNew: appended !== undefined };
  }

  /** The payout, if there is one. Throws `idempotency_key_reused` if another request made it. */
  private async existing(
    payout_id: PayoutId,
    payout: NewPayout,
  ): Promise<CreatedPayout | undefined> {
    const loaded = await this.parts.commands.load(payoutDecider, streams.payout(payout_id));
    if (loaded.state.kind === 'none') return undefined;
    requireSamePayout(payout, loaded.state);
    return { ...loaded, isNew: false };
  }
}

interface PayoutRequest extends Payee {
  readonly payout_id: PayoutId;
  readonly payout: NewPayout;
  /** The run that makes it; null if a request does. */
  readonly run_id: RunId | null;
  readonly context: AccountContext;
}

/** Whose balance a payout is taken from; undefined if the account has no such affiliate. */
const ownerOf = ({ affiliate, payout, context }: PayoutRequest): BalanceOwner | undefined => {
  if (affiliate.kind === 'none') return undefined;
  const { accountId } = context;
  return { accountId, about: aboutOf(affiliate.record, payout.currency, accountId) };
};

const aboutOf = (
  { id: affiliate_id, program_id }: SealedAffiliateRecord,
  code: string,
  account: BalanceOwner['accountId'],
): BalanceOwner['about'] => {
  const currency = normalizeCurrency(code);
  const balance_id = balanceIdOf(account, affiliate_id, currency);
  return { balance_id, affiliate_id, program_id, currency };
};

const maxAttempts = 10;
