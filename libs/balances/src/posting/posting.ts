import { laterOf, type Checkpoint, type Position } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import {
  postingName,
  type BalanceChange,
  type OutOfLogTime,
  type ProcessorState,
} from '@refledger/domain';
import { readLogTimeDiscounts, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import { BalanceWriter, type Posted } from '../balance-writer.js';
import type { ChaptersOptions } from '../chapters.js';
import {
  LedgerProcessor,
  type LedgerProcessorOptions,
  type LedgerProcessorStatus,
} from '../processor/ledger-processor.js';
import { byBalance, changesOf, type ChangesOfBalance, type OwnedChange } from './changes-of.js';
import { EventAhead } from './event-ahead.js';
import { logTimeAt } from './log-time.js';
import { postingProgress, type PostingProgress } from './posting-progress.js';
import { finishReservation } from './reservations.js';

export interface PostingOptions extends LedgerProcessorOptions, ChaptersOptions {
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
  private out: OutOfLogTime = { skipped: new Set(), discounts: [] };
  /** The time, too far ahead, of the event at which posting has stopped. */
  private ahead: string | undefined;

  constructor(private readonly options: PostingOptions) {
    const { log, now = Date.now } = options;
    this.now = now;
    this.processor = new LedgerProcessor(options, {
      name: postingName,
      form: postingProgress,
      onStatus: () => options.onStatus?.(this.status()),
      begin: (decisions) => this.begin(decisions),
      resume: (before, checkpoint) => this.resume(before, checkpoint),
    });
    this.commands = new CommandHandler(log, { now });
    this.balances = new BalanceWriter(log, this.commands, options);
  }

  /** Runs until the signal aborts. `deliver` must call `post` and pass on its errors. */
  run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.processor.run(deliver, signal);
  }

  status(): PostingStatus {
    const time = this.ahead ?? this.processor.progress.logTime;
    const aheadMs = time === null ? 0 : Math.max(0, Date.parse(time) - this.now());
    return { ...this.processor.status(), logTimeAheadSeconds: aheadMs / 1000 };
  }

  /**
   * Posts what the events of a batch cause, and saves the checkpoint. Throws `PoisonEvent` for an
   * event that it can't get past, after posting everything before it.
   */
  async post({ events }: LogBatch): Promise<void> {
    const before = this.processor.progress;
    const { changes, last, logTime, failure } = changesOf(events, {
      logId: this.options.log.id,
      logTime: before.logTime,
      ...this.out,
      now: this.now(),
    });
    const posted = await this.postAll(changes);
    if (last !== undefined) {
      const met = events.findLast(showsInBalances)?.position;
      await this.processor.save({
        ...before,
        checkpoint: { logId: this.options.log.id, position: last.position, eventId: last.id },
        logTime,
        postedPosition: laterOf(laterOf(before.postedPosition, met), posted),
      });
    }
    this.processor.obey(events);
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

  private async begin({ skipped }: ProcessorState): Promise<void> {
    this.ahead = undefined;
    this.out = { skipped, discounts: await readLogTimeDiscounts(this.options.log) };
    this.balances.forget();
  }

  /** Only log time is worked out again: what was posted before is still there. */
  private async resume(
    before: PostingProgress,
    checkpoint: Checkpoint | undefined,
  ): Promise<PostingProgress> {
    const logTime =
      checkpoint === undefined
        ? null
        : await logTimeAt(this.options.log, checkpoint.position, this.out);
    return { ...before, logTime };
  }
}

/** A read model of balances shows these events. */
const showsInBalances = ({ type }: LoggedEvent): boolean =>
  type.startsWith('balance.') || type === 'payout.created';
