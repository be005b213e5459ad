import { EventEmitter } from 'node:events';
import { toInstant, type EndpointId } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { RetryLog } from '../retry-log.js';
import type { DeliveryStore } from '../stores/delivery-store.js';
import type { Claims } from './claims.js';
import { DueTimer } from './due-timer.js';
import type { LeaseTerms } from './lease-terms.js';

export interface DuePollerOptions {
  readonly store: Pick<DeliveryStore, 'recover' | 'reschedule' | 'endpointsWithWork' | 'nextDueAt'>;
  readonly claims: Pick<Claims, 'renew'>;
  readonly leases: Pick<LeaseTerms, 'newLease'>;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly retryLog: Pick<RetryLog, 'failed'>;
}

/** Polls the store for what is due: when its time comes, and three times within a lease besides. Emits `due` with the endpoints that it is for. */
export class DuePoller extends EventEmitter<{ waiting: [endpoints: readonly EndpointId[]] }> {
  private readonly timer: DueTimer;
  private running = false;
  /** When we polled last. Before the first time: later than any clock, since nobody knows what the clock of an earlier process said. */
  private polledAt = Infinity;
  /** Regular polls for which waits are put right once more: an outcome from before the clock was put back may be written after we noticed. */
  private mistrusted = 0;
  private clearNext: (() => void) | undefined;
  private clearSoon: (() => void) | undefined;

  constructor(private readonly options: DuePollerOptions) {
    super();
    this.timer = new DueTimer(options.clock, options.store);
    this.timer.on('waiting', () => void this.poll());
  }

  begin(): void {
    this.running = true;
    this.pollRegularly();
    void this.poll();
  }

  halt(): void {
    this.running = false;
    this.timer.stop();
    this.clearNext?.();
  }

  /** Something becomes due at this instant. */
  expect(dueAt: string): void {
    if (this.running) this.timer.expect(dueAt);
  }

  /** After a failure, once. */
  pollSoon(): void {
    this.clearSoon ??= this.options.clock.after(1_000, () => {
      this.clearSoon = undefined;
      void this.poll();
    });
  }

  /** Finds what is due now and what a lost holder left, and sets the timer for what comes next. */
  private async poll(isRegular = false): Promise<void> {
    if (!this.running) return;
    const { store, claims, leases, clock, retryLog } = this.options;
    try {
      await claims.renew();
      const wasPutBack = clock.now() < this.polledAt;
      if (wasPutBack || (isRegular && this.mistrusted > 0)) {
        this.mistrusted = wasPutBack ? 2 : this.mistrusted - 1;
        await store.reschedule(leases.newLease());
      }
      this.polledAt = clock.now();
      const now = toInstant(this.polledAt);
      await store.recover({ now });
      this.emit('waiting', await store.endpointsWithWork(now));
      if (this.running) await this.timer.set(now);
    } catch (error) {
      retryLog.failed('looking for due deliveries', error);
      this.pollSoon();
    }
  }

  /** Renews our leases, and finds what others have lost, or what a failed write of ours has left. */
  private pollRegularly(): void {
    this.clearNext = this.options.clock.after(this.options.leaseMs / 3, () => {
      void this.poll(true);
      this.pollRegularly();
    });
  }
}
