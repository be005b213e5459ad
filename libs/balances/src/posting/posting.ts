import { randomUUID } from 'node:crypto';
import { laterOf, streams, type Position } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import {
  postingName,
  type BalanceChange,
  type OutOfLogTime,
  type ProcessorState,
} from '@refledger/domain';
import {
  follow,
  ProcessorProgress,
  readLogTimeDiscounts,
  type EventLog,
  type LogBatch,
  type LoggedEvent,
  type ProcessorLogger,
  type ProcessorStatus,
} from '@refledger/event-log';
import { lingerAfter, whileLeased } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import { BalanceWriter, type Posted } from '../balance-writer.js';
import type { ChaptersOptions } from '../chapters.js';
import { EventAhead } from './event-ahead.js';
import { logTimeAt } from './log-time.js';
import { PostingCheckpoints, type PostingProgress } from './posting-progress.js';
import { resumedAt } from './resumed-at.js';
import { byBalance, changesOf, type ChangesOfBalance, type OwnedChange } from './changes-of.js';
import { finishReservation } from './reservations.js';

export interface PostingOptions extends ChaptersOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly logger: ProcessorLogger;
  readonly onStatus?: (status: PostingStatus) => void;
  /** Called after each batch that posted something, or that met a conflict. */
  readonly onPosted?: (posted: { readonly entries: number; readonly conflicts: number }) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long after its last renewal the lease expires, in milliseconds; default 10,000. */
  readonly leaseMs?: number;
}

export interface PostingStatus extends ProcessorStatus {
  /** Another ledger holds the lease. */
  readonly standingBy: boolean;
  /**
   * How far log time is ahead of the clock, in seconds; 0 if it is not. Includes the event at which
   * posting has stopped because it is too far ahead.
   */
  readonly logTimeAheadSeconds: number;
}

/**
 * Follows the log and posts an entry for each change in what is owed. Each source event is posted
 * at most once, because a balance names the last source posted and is appended to at an expected
 * revision; and at least once, because the checkpoint is saved only after the work. So two ledgers,
 * or a restart from any earlier checkpoint or from none at all, produce the same balances.
 */
export class Posting {
  private readonly now: () => number;
  private readonly progress: ProcessorProgress;
  private readonly checkpoints: PostingCheckpoints;
  private readonly commands: CommandHandler;
  private readonly balances: BalanceWriter;
  private stored: PostingProgress | undefined;
  private out: OutOfLogTime = { skipped: new Set(), discounts: [] };
  /** The time of the event at which posting has stopped because of it. */
  private ahead: string | undefined;
  private standingBy = false;
  /** Aborts when an operator has decided where to continue. */
  private decided = new AbortController();

  constructor(private readonly options: PostingOptions) {
    const { log, store, now = Date.now } = options;
    this.now = now;
    this.progress = new ProcessorProgress(() => options.onStatus?.(this.status()), now);
    this.checkpoints = new PostingCheckpoints(store, log);
    this.commands = new CommandHandler(log, { now });
    this.balances = new BalanceWriter(log, this.commands, options);
  }

  /**
   * Runs until the signal aborts; never rejects. Passes every batch to `deliver`, which must call
   * `post` and pass on its errors. If several ledgers share a store, one works and the others stand
   * by.
   */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { log, store, logger, leaseMs = 10_000 } = this.options;
    const { progress } = this;
    const lease = {
      store,
      name: postingName,
      holder: `${postingName}-${randomUUID()}`,
      leaseMs,
      logger,
      onStandBy: (standingBy: boolean) => this.standBy(standingBy),
    };
    const begin = (decisions: ProcessorState) => this.begin(decisions);
    const processor = { name: postingName, log, logger, progress, begin, handle: deliver };
    const work = async (until: AbortSignal): Promise<void> => {
      while (!until.aborted) {
        this.decided = new AbortController();
        const stop = AbortSignal.any([until, this.decided.signal]);
        await follow({ ...processor, linger: lingerAfter }, stop);
      }
    };
    await whileLeased(lease, work, signal);
  }

  status(): PostingStatus {
    const time = this.ahead ?? this.stored?.logTime ?? null;
    const aheadMs = time === null ? 0 : Math.max(0, Date.parse(time) - this.now());
    return {
      ...this.progress.status(),
      standingBy: this.standingBy,
      logTimeAheadSeconds: aheadMs / 1000,
    };
  }

  /**
   * Posts what the events of a batch cause, and saves the checkpoint. Throws `PoisonEvent` for an
   * event that it can't get past, after posting everything before it.
   */
  async post({ events }: LogBatch): Promise<void> {
    const before = this.stored;
    if (before === undefined) throw new Error('posting has not begun');
    const { changes, last, logTime, failure } = changesOf(events, {
      logId: this.options.log.id,
      logTime: before.logTime,
      ...this.out,
      now: this.now(),
    });
    const posted = await this.postAll(changes);
    if (last !== undefined) {
      const met = events.findLast(showsInBalances)?.position;
      const after = {
        checkpoint: { logId: this.options.log.id, position: last.position, eventId: last.id },
        logTime,
        postedPosition: laterOf(laterOf(before.postedPosition, met), posted),
        resumedRevision: before.resumedRevision,
      };
      await this.checkpoints.save(after, before);
      this.stored = after;
    }
    if (events.some((event) => isDecision(event) && event.revision > before.resumedRevision))
      this.decided.abort();
    if (failure instanceof EventAhead) this.ahead = failure.event.metadata.recorded_at;
    if (failure !== undefined) throw failure;
  }

  /**
   * Changes the balances concurrently, and returns a position by which everything is posted. If one
   * fails, it still waits for the others: only one caller at a time may write a balance.
   */
  private async postAll(changes: readonly OwnedChange[]): Promise<Position | undefined> {
    const results = await Promise.allSettled(
      [...byBalance(changes).values()].map((own) => this.postTo(own)),
    );
    let last: Position | undefined;
    const sums = { entries: 0, conflicts: 0 };
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      const { position, entries, conflicts } = result.value;
      last = laterOf(last, position);
      sums.entries += entries;
      sums.conflicts += conflicts;
    }
    if (sums.entries + sums.conflicts > 0) this.options.onPosted?.(sums);
    return last;
  }

  /** Finishes what commands have left half done, then posts the rest, to one balance. */
  private async postTo({ owner, own }: ChangesOfBalance): Promise<Posted> {
    const changes: BalanceChange[] = [];
    let created: Position | undefined;
    for (const met of own) {
      if (!('reserved' in met)) {
        changes.push(met);
        continue;
      }
      const { position, change } = await finishReservation(this.commands, met);
      created = laterOf(created, position);
      if (change !== undefined) changes.push(change);
    }
    const posted = await this.balances.post(owner, changes);
    return { ...posted, position: laterOf(created, posted.position) };
  }

  private async begin({ skipped, resumed }: ProcessorState): Promise<Position | undefined> {
    this.ahead = undefined;
    this.out = { skipped, discounts: await readLogTimeDiscounts(this.options.log) };
    this.balances.forget();
    this.stored = await this.checkpoints.load();
    if (resumed !== undefined && resumed.revision > this.stored.resumedRevision)
      this.stored = await this.resume(this.stored, resumed);
    return this.stored.checkpoint?.position;
  }

  /** Carries out an operator's decision on where to continue. */
  private async resume(
    before: PostingProgress,
    decision: NonNullable<ProcessorState['resumed']>,
  ): Promise<PostingProgress> {
    const { log } = this.options;
    const position = await resumedAt(log, decision);
    const event = position === undefined ? undefined : await log.eventAt(position);
    const checkpoint = event && { logId: log.id, position: event.position, eventId: event.id };
    return this.checkpoints.restart(`resumed ${decision.revision}`, {
      checkpoint,
      logTime:
        checkpoint === undefined ? null : await logTimeAt(log, checkpoint.position, this.out),
      // what was posted before is still there
      postedPosition: before.postedPosition,
      resumedRevision: decision.revision,
    });
  }

  private standBy(standingBy: boolean): void {
    if (standingBy === this.standingBy) return;
    this.standingBy = standingBy;
    this.options.logger.info(
      { processor: postingName },
      standingBy ? 'posting is standing by; another ledger posts' : 'posting is working',
    );
    this.options.onStatus?.(this.status());
  }
}

const isDecision = ({ stream, type }: LoggedEvent): boolean =>
  stream === streams.processor(postingName) && type === 'processor.resumed';

/** A read model of balances shows these events. */
const showsInBalances = ({ type }: LoggedEvent): boolean =>
  type.startsWith('balance.') || type === 'payout.created';
