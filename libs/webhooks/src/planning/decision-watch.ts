import type { ProcessorLogger } from '@refledger/event-log';
import { repeatOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { DispatcherState } from '../dispatcher-state.js';
import type { StartupGuard } from './startup-guard.js';

export interface DecisionWatchOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  readonly guard: Pick<StartupGuard, 'discardDecision'>;
  readonly state: Pick<DispatcherState, 'maySend'>;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Discards decisions on where to resume that a running dispatcher does not need: it looks for them
 * once per second, and whenever the bus has accepted its offsets.
 */
export class DecisionWatch {
  /** Partitions whose offsets the bus has accepted since the last look. */
  private assigned = new Set<string>();
  private looking = false;
  private stop: (() => void) | undefined;
  private ended = false;

  constructor(private readonly options: DecisionWatchOptions) {}

  start(): void {
    if (this.ended) return;
    this.stop?.();
    const look = () => this.check().then(() => intervalMs);
    this.stop = repeatOnClock(this.options.clock, look, intervalMs);
  }

  end(): void {
    this.ended = true;
    this.stop?.();
  }

  /** The bus has accepted the offset of this partition; undefined: it has assigned none. */
  accepted(partition: string | undefined): void {
    if (partition !== undefined) this.assigned.add(partition);
    void this.check();
  }

  /** Looks once for all partitions that were assigned together. Never rejects. */
  private async check(): Promise<void> {
    if (this.looking || !this.options.state.maySend) return;
    this.looking = true;
    // the other partitions of the same assignment follow
    await Promise.resolve();
    const { assigned } = this;
    this.assigned = new Set();
    try {
      await this.discard(assigned);
    } catch (error) {
      for (const partition of assigned) this.assigned.add(partition);
      this.options.logRetry('checking for decisions', error);
    }
    this.looking = false;
  }

  private async discard(assigned: ReadonlySet<string>): Promise<void> {
    const { guard, logger } = this.options;
    const from = await guard.discardDecision(assigned);
    if (from !== undefined)
      logger.warn(
        { from },
        `the decision to resume from ${from} is ignored: the webhook-dispatcher has a valid offset`,
      );
  }
}

const intervalMs = 1_000;
