import {
  eventIdOf,
  type ClaimedAppend,
  type DomainEvent,
  type StreamName,
} from '@refledger/contracts';
import type { ClaimData, ClaimDecider, ClaimState } from '@refledger/domain';
import { encodeEvent, type AppendResult, type LoadedStream } from '@refledger/event-log';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';

/** A claim that a command wants to take, and with it the append that it decided to make. */
interface ClaimTaking<Data extends ClaimData> {
  readonly stream: StreamName;
  readonly data: Data;
  readonly context: CommandContext;
  /** Starts at 0 and rises by one each time the same command decides again. */
  readonly attempt: number;
}

export interface ClaimRequest<Data extends ClaimData> extends ClaimTaking<Data> {
  readonly judge: JudgeClaim<Data>;
}

/**
 * Judges an existing claim, whose append is finished (`appended` as in `ExistingClaim`). It may
 * throw to refuse the command.
 */
type JudgeClaim<Data extends ClaimData> = (
  data: Data,
  appended: AppendResult | undefined,
) => ClaimVerdict | Promise<ClaimVerdict>;

/**
 * The verdict of an existing claim on a command: the command may replace it, or the decision no
 * longer holds.
 */
export type ClaimVerdict = 'replace' | 'decide again';

/** A claim whose append is finished. */
export interface ExistingClaim<Data extends ClaimData> {
  readonly claim: LoadedStream<ClaimState<Data>>;
  /**
   * Where the claim's append ended, no matter which command made it. Undefined when the claim is
   * free, or when its append can never succeed: the stream has other events at that revision, or
   * must not start (`mayStart`).
   */
  readonly appended: AppendResult | undefined;
}

/**
 * Makes appends through claims of one kind (docs/adr/0004-claims-without-transactions.md). A
 * claim holds an exact append and is its commit point. Any command that finds a claim first
 * finishes that append, so what is claimed is unique without a transaction across two streams.
 *
 * A command uses it as the `appender` of its run: `take` returns undefined when the command handler
 * must load and decide again.
 */
export class Claims<Data extends ClaimData, Event extends DomainEvent> {
  /** `mayStart`: whether a claim that was found may still start its stream. */
  constructor(
    private readonly commands: CommandHandler,
    private readonly decider: ClaimDecider<Data, Event>,
    private readonly mayStart: (data: Data) => Promise<boolean> = () => Promise.resolve(true),
  ) {}

  /**
   * Takes the claim and makes its append. Undefined when the command must decide again: because
   * `judge` says so, because another command took the claim first, or because the stream has
   * changed since the append was decided.
   */
  async take({ judge, ...wanted }: ClaimRequest<Data>): Promise<AppendResult | undefined> {
    const existing = await this.judged(wanted.stream, judge);
    return existing && this.takeJudged(existing, wanted);
  }

  /** Loads a claim and judges it if it is taken. Undefined when the command must decide again. */
  async judged(
    stream: StreamName,
    judge: JudgeClaim<Data>,
  ): Promise<ExistingClaim<Data> | undefined> {
    const existing = await this.loadAndComplete(stream);
    const { claim, appended } = existing;
    const isOutdated =
      claim.state.kind === 'taken' && (await judge(claim.state.data, appended)) === 'decide again';
    return isOutdated ? undefined : existing;
  }

  /** Takes a claim as it was judged, and makes its append. Undefined as for `take`. */
  async takeJudged(
    { claim }: ExistingClaim<Data>,
    { stream, data, context, attempt }: ClaimTaking<Data>,
  ): Promise<AppendResult | undefined> {
    const [taken] = this.decider.decide({ type: 'take', data }, claim.state);
    if (taken === undefined) return this.finish(data.append);
    const event = encodeEvent(
      taken,
      eventIdOf(context.commandId, stream, attempt, 0),
      this.commands.metadata(context, claim, timeOf(data.append)),
    );
    const isFirst = (await this.commands.appendAt(stream, [event], claim.revision)) !== undefined;
    return isFirst ? this.finish(data.append) : undefined;
  }

  /** Loads a claim, and finishes its append if it is taken. */
  async loadAndComplete(stream: StreamName): Promise<ExistingClaim<Data>> {
    const claim = await this.commands.load(this.decider, stream);
    const appended =
      claim.state.kind === 'taken' ? await this.finishExisting(claim.state.data) : undefined;
    return { claim, appended };
  }

  private async finishExisting(data: Data): Promise<AppendResult | undefined> {
    const isFirst = data.append.expected_revision === null;
    return isFirst && !(await this.mayStart(data)) ? undefined : this.finish(data.append);
  }

  /** Makes the append, or finds that it was made. Undefined when it can never succeed. */
  private finish({
    stream,
    events,
    expected_revision,
  }: ClaimedAppend): Promise<AppendResult | undefined> {
    return this.commands.appendAt(stream, events, expected_revision ?? undefined);
  }
}

/**
 * The time at which an append was decided. Its claim has the same time: a later one would hide
 * the append from reads as of its own time.
 */
const timeOf = ({ events: [first] }: ClaimedAppend): string | undefined =>
  first?.metadata.recorded_at;
