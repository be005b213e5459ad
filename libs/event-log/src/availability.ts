import { isEventLogError } from './event-log-error.js';
import type { LogAvailability } from './event-log.js';
import { messageOf } from './message-of.js';

/** The kinds of calls whose outcomes are kept apart: one may fail while the other succeeds. */
export type LogCall = 'append' | 'read';

/** How often a log that failed is probed, and how often, at most, those that wait are woken. */
const probeEveryMs = 1_000;

/**
 * Keeps the outcome of the last append and of the last read. While one of them failed, it probes
 * the log once per second, whoever asks: no one may be calling it anymore.
 */
export class CallOutcomes implements LogAvailability {
  private readonly failures = new Map<LogCall, string>();
  private recovering = new AbortController();
  private wokenAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private waking: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    /** Finds out whether the log accepts appends and reads, and rejects if it does not. */
    private readonly probe: () => Promise<void>,
    private readonly everyMs = probeEveryMs,
  ) {}

  get failure(): string | undefined {
    return this.failures.get('append') ?? this.failures.get('read');
  }

  get recovery(): AbortSignal {
    return this.recovering.signal;
  }

  /** Records the outcome of a call, and passes it on. */
  async track<T>(call: LogCall, outcome: Promise<T>): Promise<T> {
    try {
      const result = await outcome;
      this.succeeded(call);
      return result;
    } catch (error) {
      this.failed(call, error);
      throw error;
    }
  }

  succeeded(call: LogCall): void {
    if (this.failures.delete(call)) this.wake();
  }

  /** An error that is an answer, such as a conflict, counts as a success. */
  failed(call: LogCall, error: unknown): void {
    if (!isEventLogError(error, 'unavailable', 'unknown_outcome', 'unusable')) {
      if (isEventLogError(error, 'wrong_revision', 'too_large')) this.succeeded(call);
      return;
    }
    if (this.isClosed) return;
    this.failures.set(call, messageOf(error));
    this.timer ??= setTimeout(() => void this.check(), this.everyMs).unref();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.waking);
  }

  private async check(): Promise<void> {
    if (this.failures.size > 0) await this.probe().then(() => this.clear(), this.probeFailed);
    this.timer = undefined;
    if (this.failures.size > 0 && !this.isClosed)
      this.timer = setTimeout(() => void this.check(), this.everyMs).unref();
  }

  private clear(): void {
    this.succeeded('append');
    this.succeeded('read');
  }

  private readonly probeFailed = (error: unknown): void => {
    for (const call of this.failures.keys()) this.failures.set(call, messageOf(error));
  };

  /** At most once per second: calls that succeed and fail in turn must not make a busy loop. */
  private wake(): void {
    const waitMs = this.wokenAt + this.everyMs - performance.now();
    if (waitMs <= 0) this.wakeNow();
    else this.waking ??= setTimeout(() => this.wakeNow(), waitMs).unref();
  }

  private wakeNow(): void {
    this.waking = undefined;
    this.wokenAt = performance.now();
    const { recovering } = this;
    this.recovering = new AbortController();
    recovering.abort();
  }
}
