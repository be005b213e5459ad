import { randomUUID } from 'node:crypto';
import { streams, type Checkpoint, type Position } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import {
  follow,
  ProcessorProgress,
  type EventLog,
  type LogBatch,
  type LoggedEvent,
  type ProcessorLogger,
  type ProcessorStatus,
} from '@refledger/event-log';
import { lingerAfter, whileLeased } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import { ProcessorCheckpoints, type ProgressForm, type StoredProgress } from './checkpoints.js';
import { resumedAt } from './resumed-at.js';

/** The parts that every event processor of the ledger works on. */
export interface LedgerProcessorOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly logger: ProcessorLogger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long after its last renewal the lease expires, in milliseconds; default 10,000. */
  readonly leaseMs?: number;
}

export interface LedgerProcessorStatus extends ProcessorStatus {
  /** Another ledger holds the lease. */
  readonly standingBy: boolean;
}

/** The behavior that one event processor adds to the shared one. */
export interface LedgerProcessorParts<Progress extends StoredProgress> {
  /** Its name in decisions, leases and log lines. */
  readonly name: string;
  readonly form: ProgressForm<Progress>;
  readonly onStatus: () => void;
  /** Called before each subscription; forgets what was remembered of the log. */
  readonly start?: (decisions: ProcessorState) => Promise<void> | void;
  /**
   * Called with the progress that is about to be continued. Returns it, or the progress to store
   * and to continue with instead. Throws what keeps the processor from continuing.
   */
  readonly startFrom?: (progress: Progress) => Promise<Progress>;
  /** The progress to continue with after this checkpoint, as an operator decided. */
  readonly resume: (before: Progress, checkpoint: Checkpoint | undefined) => Promise<Progress>;
}

/**
 * How an event processor of the ledger runs: it holds a lease, follows the log from a checkpoint in
 * the read store, and carries out the decisions of operators. Its work must be idempotent: it
 * starts over in another log, or when its checkpoint is lost.
 */
export class LedgerProcessor<Progress extends StoredProgress> {
  private readonly watched: ProcessorProgress;
  private readonly checkpoints: ProcessorCheckpoints<Progress>;
  private stored: Progress | undefined;
  private standingBy = false;
  private savedAt = Number.NEGATIVE_INFINITY;
  /** Aborts when an operator has decided where to continue. */
  private decided = new AbortController();

  constructor(
    private readonly options: LedgerProcessorOptions,
    private readonly parts: LedgerProcessorParts<Progress>,
  ) {
    const { log, store, now = Date.now } = options;
    this.watched = new ProcessorProgress(parts.onStatus, now);
    this.checkpoints = new ProcessorCheckpoints(store, log, parts.form);
  }

  get name(): string {
    return this.parts.name;
  }

  /** The progress that is stored; that of a first start until the first subscription starts. */
  get progress(): Progress {
    return this.stored ?? this.parts.form.initial;
  }

  /**
   * Runs until the signal aborts; never rejects. Passes every batch to `deliver`, which must handle
   * it and save the progress. If several ledgers share a store, one works and the others stand by.
   */
  async run(
    deliver: (batch: LogBatch, until: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, store, logger, leaseMs = 10_000 } = this.options;
    const { name, watched: progress } = this;
    const lease = {
      store,
      name,
      holder: `${name}-${randomUUID()}`,
      leaseMs,
      logger,
      onStandBy: (standingBy: boolean) => this.standBy(standingBy),
    };
    const start = (decisions: ProcessorState) => this.start(decisions);
    const processor = { name, log, logger, progress, start, linger: lingerAfter };
    const work = async (until: AbortSignal): Promise<void> => {
      while (!until.aborted) {
        this.decided = new AbortController();
        const stop = AbortSignal.any([until, this.decided.signal]);
        await follow({ ...processor, handle: (batch) => deliver(batch, stop) }, stop);
      }
    };
    await whileLeased(lease, work, signal);
  }

  status(): LedgerProcessorStatus {
    return { ...this.watched.status(), standingBy: this.standingBy };
  }

  /** Saves progress after the stored one. Throws if another ledger has saved in the meantime. */
  async save(after: Progress): Promise<void> {
    await this.checkpoints.save(after, this.progress);
    this.stored = after;
    this.savedAt = performance.now();
  }

  /**
   * Does the same, but at most once per second: after events that asked for no work, which cost
   * little to read again.
   */
  async saveIdle(after: Progress): Promise<void> {
    if (performance.now() - this.savedAt >= idleSaveMs) await this.save(after);
  }

  /** Starts again if these events, which were handled, include a decision on where to continue. */
  restartOnDecision(events: readonly LoggedEvent[]): void {
    const { resumedRevision } = this.progress;
    const stream = streams.processor(this.name);
    const isDecision = ({ revision, ...event }: LoggedEvent): boolean =>
      event.stream === stream && event.type === 'processor.resumed' && revision > resumedRevision;
    if (events.some(isDecision)) this.startAgain();
  }

  /** Ends the subscription after its current batch, and starts again. */
  startAgain(): void {
    this.decided.abort();
  }

  private async start(decisions: ProcessorState): Promise<Position | undefined> {
    await this.parts.start?.(decisions);
    this.stored = await this.checkpoints.load();
    const { resumed } = decisions;
    if (resumed !== undefined && resumed.revision > this.stored.resumedRevision)
      this.stored = await this.resume(this.stored, resumed);
    const progress = (await this.parts.startFrom?.(this.stored)) ?? this.stored;
    if (progress !== this.stored)
      this.stored = await this.checkpoints.restart(`begun ${randomUUID()}`, progress);
    return this.stored.checkpoint?.position;
  }

  /** Carries out an operator's decision on where to continue. */
  private async resume(
    before: Progress,
    decision: NonNullable<ProcessorState['resumed']>,
  ): Promise<Progress> {
    const { log } = this.options;
    const position = await resumedAt(log, this.name, { resumed: decision, stored: before });
    const event = position === undefined ? undefined : await log.eventAt(position);
    const checkpoint = event && { logId: log.id, position: event.position, eventId: event.id };
    const resumed = await this.parts.resume(before, checkpoint);
    return this.checkpoints.restart(`resumed ${decision.revision}`, {
      ...resumed,
      checkpoint,
      resumedRevision: decision.revision,
    });
  }

  private standBy(standingBy: boolean): void {
    if (standingBy === this.standingBy) return;
    this.standingBy = standingBy;
    const { name } = this;
    this.options.logger.info(
      { processor: name },
      standingBy ? `${name} is standing by; another ledger is working` : `${name} is working`,
    );
    this.parts.onStatus();
  }
}

const idleSaveMs = 1_000;
