import { accountOf, isEventOf, streams, type Checkpoint, type EventId } from '@refledger/contracts';
import { CommandHandler, Throttle } from '@refledger/application';
import {
  backoffMs,
  decodeEvent,
  messageOf,
  PoisonEvent,
  sleepBeforeRetry,
  type LogBatch,
  type LoggedEvent,
} from '@refledger/event-log';
import type { ProjectionSpec } from '@refledger/read-store';
import { Payouts } from '../payouts/payouts.js';
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
import { RunPayer, type OwnedRun } from './run-payer.js';

/** The event processor that carries out payout runs. */
export const payoutRunsName = 'runs';

/** Its checkpoint is that of this projection. */
export const payoutRunsProgress: ProjectionSpec = {
  name: payoutRunsName,
  version: 1,
  collections: [progressCollection],
};

export interface PayoutRunsOptions extends LedgerProcessorOptions {
  readonly onStatus?: (status: LedgerProcessorStatus) => void;
  /** Called when everything that an event asked for is done, with how long it took. */
  readonly onDone?: (seconds: number) => void;
}

/** Milliseconds of rest per millisecond of work: runs leave a third of the time to others. */
const restPerWork = 0.5;

/**
 * Follows the log and carries out payout runs and their marks. It does not wait for them: those of
 * different accounts proceed side by side, and its checkpoint is before the first event whose work
 * is not done. Work that fails is repeated until it succeeds or an operator skips its event.
 */
export class PayoutRuns {
  private readonly processor: LedgerProcessor<StoredProgress>;
  private readonly throttle = new Throttle(restPerWork);
  private readonly payer: RunPayer;
  /** The last event handled; undefined before the first one of the current subscription. */
  private last: Checkpoint | undefined;
  /** Events whose work is not done, in the log's order. */
  private readonly undone = new Map<EventId, UndoneEvent>();
  private readonly running = new Set<Promise<void>>();
  private readonly failing = new Map<EventId, unknown>();
  private skipped = new Set<string>();
  /** Aborts when the log is followed again from the checkpoint. */
  private restarted = new AbortController();
  private until = AbortSignal.abort();

  constructor(private readonly options: PayoutRunsOptions) {
    const { log, store, now = Date.now } = options;
    const commands = new CommandHandler(log, { now });
    // a run has waited for posting before it pays
    const payouts = new Payouts({ log, commands, settle: () => Promise.resolve() });
    this.payer = new RunPayer({ log, store, commands, payouts, throttle: this.throttle });
    this.processor = new LedgerProcessor(options, {
      name: payoutRunsName,
      form: plainProgress(payoutRunsProgress),
      onStatus: () => this.report(),
      start: ({ skipped }) => this.reset(skipped),
      resume: (before) => Promise.resolve(before),
    });
  }

  /** Runs until the signal aborts. `deliver` must call `handle` and pass on its errors. */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const withSignal = (batch: LogBatch, until: AbortSignal): Promise<void> => {
      this.until = until;
      return deliver(batch);
    };
    await this.processor.run(withSignal, signal);
    await Promise.all(this.running);
  }

  status(): LedgerProcessorStatus {
    const status = this.processor.status();
    const [failure] = this.failing;
    if (failure === undefined || status.state === 'stopped') return status;
    const [event, error] = failure;
    const { now = Date.now } = this.options;
    const ageMs = now() - (this.undone.get(event)?.recordedAt ?? now());
    const lagSeconds = Math.max(status.lagSeconds, ageMs / 1_000);
    return { ...status, state: 'retrying', lagSeconds, error: messageOf(error) };
  }

  /** Starts the work that the events of a batch ask for, and saves the checkpoint. */
  async handle({ events }: LogBatch): Promise<void> {
    const { log } = this.options;
    // the stored checkpoint may be earlier
    this.last ??= this.processor.progress.checkpoint;
    for (const event of events) {
      this.apply(event, this.last);
      this.last = { logId: log.id, position: event.position, eventId: event.id };
    }
    await this.save();
    this.processor.restartOnDecision(events);
  }

  private apply(event: LoggedEvent, before: Checkpoint | undefined): void {
    const skipped = skippedBy(event);
    if (skipped !== undefined) this.skipped.add(skipped);
    if (this.skipped.has(event.id) || this.undone.has(event.id)) return;
    const run = runOf(event);
    if (run === undefined) return;
    this.undone.set(event.id, { before, recordedAt: Date.parse(event.metadata.recorded_at) });
    this.start(run, event.id);
  }

  /** Saves the checkpoint before the first event whose work is not done, or else the last one. */
  private async save(): Promise<void> {
    const { progress } = this.processor;
    const isIdle = this.undone.size === 0;
    const [first] = this.undone.values();
    const checkpoint = isIdle ? this.last : first?.before;
    if (checkpoint === undefined || checkpoint.position === progress.checkpoint?.position) return;
    const after = { ...progress, checkpoint };
    await (isIdle ? this.processor.saveIdle(after) : this.processor.save(after));
  }

  private reset(skipped: ReadonlySet<string>): void {
    this.skipped = new Set(skipped);
    this.restarted.abort();
    this.restarted = new AbortController();
    this.undone.clear();
    this.last = undefined;
    this.failing.clear();
  }

  private start(run: OwnedRun, event: EventId): void {
    const signal = AbortSignal.any([this.until, this.restarted.signal]);
    const running = this.carryOut(run, event, signal);
    this.running.add(running);
    void running.then(() => this.running.delete(running));
  }

  /** Never rejects. */
  private async carryOut(run: OwnedRun, event: EventId, signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    for (let failures = 1; !signal.aborted && !this.skipped.has(event); failures++) {
      const recovery = this.options.log.availability?.recovery;
      try {
        await this.throttle.ofAccount(run.accountId, () => this.payer.carryOut(run, signal));
        this.options.onDone?.((performance.now() - begin) / 1000);
        break;
      } catch (error) {
        if (signal.aborted) break;
        await sleepBeforeRetry(this.failed({ run, event, error, failures }), signal, recovery);
      }
    }
    if (signal.aborted) return;
    this.undone.delete(event);
    if (this.failing.delete(event)) this.report();
  }

  /** Reports failed work, and returns how long to wait before it is continued, in milliseconds. */
  private failed({ run, event, error, failures }: FailedWork): number {
    const wait = backoffMs(failures, Math.random());
    this.failing.set(event, error);
    this.report();
    this.options.logger.warn(
      { processor: payoutRunsName, ...run, failures, wait_ms: Math.round(wait), err: error },
      'a payout run failed; continuing it later',
    );
    return wait;
  }

  private report(): void {
    this.options.onStatus?.(this.status());
  }
}

interface UndoneEvent {
  /** The checkpoint before it. */
  readonly before: Checkpoint | undefined;
  /** In milliseconds since 1970. */
  readonly recordedAt: number;
}

interface FailedWork {
  readonly run: OwnedRun;
  readonly event: EventId;
  readonly error: unknown;
  readonly failures: number;
}

/** The run that an event asks to carry out. Throws `PoisonEvent` if it is unreadable. */
const runOf = (logged: LoggedEvent): OwnedRun | undefined => {
  if (logged.type !== 'payout_run.started' && logged.type !== 'payout_run.marked') return undefined;
  try {
    const event = decodeEvent(logged);
    if (!isEventOf('payout_run', event)) return undefined;
    return { run_id: event.data.run_id, accountId: accountOf(event) };
  } catch (error) {
    throw new PoisonEvent(logged, error);
  }
};

/** The event that an operator decided to skip, if this event records such a decision. */
const skippedBy = (logged: LoggedEvent): string | undefined => {
  if (logged.stream !== streams.processor(payoutRunsName) || logged.type !== 'processor.skipped')
    return undefined;
  const event = decodeEvent(logged);
  return event.type === 'processor.skipped' ? event.data.event_id : undefined;
};
