import { abortableSleep, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import { entriesProjection } from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import {
  plainProgress,
  progressCollection,
  type StoredProgress,
} from '../processor/checkpoints.js';
import {
  LedgerProcessor,
  type LedgerProcessorOptions,
  type LedgerProcessorStatus,
} from '../processor/ledger-processor.js';
import { PaidLines } from './paid-lines.js';
import { paidLinePages } from './paid-line-pages.js';
import { stepsOf, type PaidStep } from './paid-steps.js';
import { PaidStatusWriter } from './paid-status-writer.js';

/** The name of the event processor, in decisions, metrics and health. */
export const paidStatusName = 'paid-status';

/** Its checkpoint is that of this projection. */
export const paidStatusProjection: ProjectionSpec = {
  // a name in the read store has no hyphen
  name: 'paid_status',
  version: 1,
  collections: [progressCollection],
};

export interface PaidStatusOptions extends LedgerProcessorOptions {
  readonly onStatus?: (status: LedgerProcessorStatus) => void;
  /** Called for each conversion that refuses an event, which it skips. */
  readonly onSkipped?: () => void;
}

/** A batch of the log, to be followed until the signal aborts. */
export interface PaidStatusBatch extends LogBatch {
  readonly until: AbortSignal;
}

/**
 * Follows the log, and records on each conversion which completed payout paid it, or that its money
 * came back. A conversion knows what was written before, so a restart from any earlier checkpoint,
 * or from none at all, adds nothing. Balances and payouts do not depend on it.
 */
export class PaidStatus {
  private readonly processor: LedgerProcessor<StoredProgress>;
  private readonly lines: PaidLines;
  private readonly writer: PaidStatusWriter;
  private skipped: ReadonlySet<string> = new Set();

  constructor(private readonly options: PaidStatusOptions) {
    const { log, store, logger, now = Date.now, onStatus, onSkipped } = options;
    this.processor = new LedgerProcessor(options, {
      name: paidStatusName,
      form: plainProgress(paidStatusProjection),
      onStatus: () => onStatus?.(this.status()),
      start: ({ skipped }) => void (this.skipped = skipped),
      resume: (before) => Promise.resolve(before),
    });
    this.lines = new PaidLines(store, log.id);
    this.writer = new PaidStatusWriter({
      log,
      logger,
      now,
      lines: this.lines,
      onSkipped: () => onSkipped?.(),
    });
  }

  /** Runs until the signal aborts. `deliver` must call `follow` and pass on its errors. */
  run(deliver: (batch: PaidStatusBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.processor.run((batch, until) => deliver({ ...batch, until }), signal);
  }

  status(): LedgerProcessorStatus {
    return this.processor.status();
  }

  /**
   * Writes what follows the payouts of a batch, and saves the checkpoint. Throws `PoisonEvent` for
   * an event that it can't read, after following everything before it.
   */
  async follow({ events, until }: PaidStatusBatch): Promise<void> {
    const { steps, last, failure } = stepsOf(events, this.skipped);
    await this.untilShown(steps, until);
    for await (const { lines, through } of paidLinePages(steps, this.options.log, this.lines)) {
      until.throwIfAborted();
      const pace = abortableSleep(lines.length * msPerLine, until);
      await Promise.all([this.writer.write(lines), pace]);
      await this.save(through);
    }
    const isIdle = steps.length === 0 && failure === undefined;
    await this.save(last, isIdle);
    this.processor.restartOnDecision(events);
    if (failure !== undefined) throw failure;
  }

  /** Waits until the read model has all lines of these payouts. */
  private async untilShown(steps: readonly PaidStep[], until: AbortSignal): Promise<void> {
    const { log, store } = this.options;
    const position = steps.at(-1)?.event.position;
    if (position === undefined) return;
    const wait = { timeoutMs: 10_000, signal: until };
    while (!(await store.waitForPosition(entriesProjection, log.id, position, wait)))
      until.throwIfAborted();
  }

  /** Saves that everything up to an event is done, unless that was saved before. */
  private async save(event: LoggedEvent | undefined, isIdle = false): Promise<void> {
    const before = this.processor.progress;
    if (event === undefined || event.id === before.checkpoint?.eventId) return;
    const { id: eventId, position } = event;
    const checkpoint = { logId: this.options.log.id, position, eventId };
    const after = { ...before, checkpoint };
    await (isIdle ? this.processor.saveIdle(after) : this.processor.save(after));
  }
}

/**
 * At most 5,000 conversions a second: the service's other work continues alongside a large payout.
 */
const msPerLine = 0.2;
