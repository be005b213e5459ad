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

/**
 * Polls the store for due deliveries: when the next one becomes due, and three times per lease.
 * Emits `waiting` with the endpoints that have due deliveries.
 */
export class DuePoller extends EventEmitter<{ waiting: [endpoints: readonly EndpointId[]] }> {
  private readonly timer: DueTimer;
  private running = false;
  /**
   * Time of the last poll. Infinity before the first one, which makes that poll reschedule: the
   * clock of an earlier process may have been ahead.
   */
  private polledAt = Infinity;
  /**
   * How many more regular polls reschedule. An outcome from before the clock was put back may be
   * written only after that was noticed.
   */
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

  /** Polls when a delivery becomes due at this instant. */
  expect(dueAt: string): void {
    if (this.running) this.timer.expect(dueAt);
  }

  /** Polls once more, a second after a failure. */
  pollSoon(): void {
    this.clearSoon ??= this.options.clock.after(1_000, () => {
      this.clearSoon = undefined;
      void this.poll();
    });
  }

  /**
   * Recovers deliveries with expired leases, reports what is due now, and sets the timer for what
   * is due next.
   */
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

  /**
   * Renews this dispatcher's leases, and finds deliveries that other dispatchers lost or that one
   * of its own failed writes left behind.
   */
  private pollRegularly(): void {
    this.clearNext = this.options.clock.after(this.options.leaseMs / 3, () => {
      void this.poll(true);
      this.pollRegularly();
    });
  }
}
