import { laterOf, streams, type Checkpoint, type Position } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import {
  isFarAhead,
  noDecisions,
  postingName,
  type BalanceChange,
  type PostingDecisions,
} from '@refledger/domain';
import { readPostingDecisions, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import { BalanceWriter, type PostingResult } from '../balance-writer.js';
import type { ChaptersOptions } from '../chapters.js';
import {
  LedgerProcessor,
  type LedgerProcessorOptions,
  type LedgerProcessorStatus,
} from '../processor/ledger-processor.js';
import { byBalance, changesOf, type ChangesOfBalance, type OwnedChange } from './changes-of.js';
import { eventAhead } from './event-ahead.js';
import { logTimeAt } from './log-time.js';
import { postingProgress, type PostingProgress } from './posting-progress.js';
import { finishReservation } from './reservations.js';

export interface PostingOptions extends LedgerProcessorOptions, ChaptersOptions {
  /** How often log time is compared with the clock while nothing is recorded; default 10,000 ms. */
  readonly clockCheckMs?: number;
  readonly onStatus?: (status: PostingStatus) => void;
  /** Called after each batch that posted something, or that met a conflict. */
  readonly onPosted?: (posted: { readonly entries: number; readonly conflicts: number }) => void;
}

export interface PostingStatus extends LedgerProcessorStatus {
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
  private readonly processor: LedgerProcessor<PostingProgress>;
  private readonly commands: CommandHandler;
  private readonly balances: BalanceWriter;
  /** Operators' decisions when posting last started. */
  private decisions: PostingDecisions = noDecisions;
  /** Log time, far ahead of the clock, at which posting has stopped. */
  private ahead: string | undefined;

  constructor(private readonly options: PostingOptions) {
    const { log, now = Date.now } = options;
    this.now = now;
    this.processor = new LedgerProcessor(options, {
      name: postingName,
      form: postingProgress,
      onStatus: () => options.onStatus?.(this.status()),
      start: () => this.start(),
      startFrom: (progress) => this.startFrom(progress),
      resume: (before, checkpoint) => this.resume(before, checkpoint),
    });
    this.commands = new CommandHandler(log, { now });
    this.balances = new BalanceWriter(log, this.commands, options);
  }

  /** Runs until the signal aborts. `deliver` must call `post` and pass on its errors. */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clockCheckMs = 10_000 } = this.options;
    const timer = setInterval(() => this.checkClock(), clockCheckMs);
    try {
      await this.processor.run(deliver, signal);
    } finally {
      clearInterval(timer);
    }
  }

  status(): PostingStatus {
    const time = this.ahead ?? this.processor.progress.logTime;
    const aheadMs = time === null ? 0 : Math.max(0, Date.parse(time) - this.now());
    return { ...this.processor.status(), logTimeAheadSeconds: aheadMs / 1000 };
  }

  /**
   * Posts what the events of a batch cause, and saves the checkpoint. Throws `PoisonEvent` for an
   * event that it can't get past, after posting everything before it. The batch ends at a decision
   * that posting does not know: it starts again there.
   */
  async post({ events: all }: LogBatch): Promise<void> {
    const { log } = this.options;
    const events = this.upToDecision(all);
    const before = this.processor.progress;
    const now = this.now();
    const { changes, last, logTime, failure, ahead } = changesOf(events, {
      logId: log.id,
      logTime: before.logTime,
      skipped: this.decisions.skipped,
      ignoredTimes: this.decisions.ignoredTimes,
      lifted: await this.liftedIn(events),
      now,
    });
    const posted = await this.postAll(changes);
    if (last !== undefined) {
      const met = events.findLast(showsInBalances)?.position;
      await this.processor.save({
        ...before,
        checkpoint: { logId: log.id, position: last.position, eventId: last.id },
        logTime,
        decidedRevision: this.decisions.revision,
        postedPosition: laterOf(laterOf(before.postedPosition, met), posted),
      });
    }
    if (ahead !== undefined) throw await this.stopAhead(ahead, now);
    if (failure !== undefined) throw failure;
    if (events.some((event) => this.isNewDecision(event))) this.processor.startAgain();
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
  private async postTo({ owner, own }: ChangesOfBalance): Promise<PostingResult> {
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

  private async start(): Promise<void> {
    this.ahead = undefined;
    this.decisions = await readPostingDecisions(this.options.log);
    this.balances.forget();
  }

  /** Works out log time again if an operator has decided something since it was stored. */
  private async startFrom(stored: PostingProgress): Promise<PostingProgress> {
    const isKnown =
      stored.checkpoint === undefined || stored.decidedRevision === this.decisions.revision;
    const progress = isKnown ? stored : await this.resume(stored, stored.checkpoint);
    const now = this.now();
    if (progress.logTime !== null && isFarAhead(progress.logTime, now))
      throw await this.stopAhead(progress.logTime, now);
    return progress;
  }

  /** Only log time is worked out again: what was posted before is still there. */
  private async resume(
    before: PostingProgress,
    checkpoint: Checkpoint | undefined,
  ): Promise<PostingProgress> {
    const { log } = this.options;
    const logTime =
      checkpoint === undefined ? null : await logTimeAt(log, checkpoint.position, this.decisions);
    return { ...before, logTime, decidedRevision: this.decisions.revision };
  }

  /**
   * Starts again, and so stops, if log time is far ahead of the clock: a wrong clock that posting
   * shared was corrected, or the clock of this machine was set back.
   */
  private checkClock(): void {
    if (this.processor.status().state === 'stopped') return;
    if (isFarAhead(this.processor.progress.logTime, this.now())) this.processor.startAgain();
  }

  private stopAhead(logTime: string, now: number): Promise<Error> {
    this.ahead = logTime;
    return eventAhead(this.options.log, { logTime, now, excluded: this.decisions });
  }

  private upToDecision(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
    const first = events.findIndex((event) => this.isNewDecision(event));
    return first === -1 ? events : events.slice(0, first + 1);
  }

  private isNewDecision({ stream, revision }: LoggedEvent): boolean {
    return stream === postingStream && revision > this.decisions.revision;
  }

  /** Log time at the decisions that lifted the skip of these events. It is rarely looked up. */
  private async liftedIn(events: readonly LoggedEvent[]): Promise<ReadonlyMap<string, string>> {
    const times = new Map<string, string>();
    for (const { id, metadata } of events) {
      const decision = this.decisions.lifted.get(id);
      if (decision === undefined) continue;
      const time = await logTimeAt(this.options.log, decision, this.decisions);
      times.set(id, time ?? metadata.recorded_at);
    }
    return times;
  }
}

const postingStream = streams.processor(postingName);

/** A read model of balances shows these events. */
const showsInBalances = ({ type }: LoggedEvent): boolean =>
  type.startsWith('balance.') || type === 'payout.created';
