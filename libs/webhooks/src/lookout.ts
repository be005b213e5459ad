import { toInstant, type EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { DeliveryStore } from './delivery-store.js';
import { DueTimer } from './due-timer.js';
import type { Leases } from './leases.js';

export interface LookoutOptions {
  readonly store: Pick<DeliveryStore, 'recover' | 'waitAnew' | 'endpointsWithWork' | 'nextDueAt'>;
  readonly leases: Pick<Leases, 'renew' | 'newLease'>;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Hears of endpoints for which something is due. */
  readonly onDue: (endpoints: readonly EndpointId[]) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

/** Looks into the store for what is due: when its time comes, and three times within a lease besides. */
export class Lookout {
  private readonly timer: DueTimer;
  private running = false;
  /** When we looked last. Before the first time: later than any clock, since nobody knows what the clock of an earlier process said. */
  private lookedAt = Infinity;
  /** Regular looks for which waits are put right once more: an outcome from before the clock was put back may be written after we noticed. */
  private mistrusted = 0;
  private takeBackNext: (() => void) | undefined;
  private takeBackSoon: (() => void) | undefined;

  constructor(private readonly options: LookoutOptions) {
    this.timer = new DueTimer(options.clock, options.store, () => void this.look());
  }

  begin(): void {
    this.running = true;
    this.lookRegularly();
    void this.look();
  }

  halt(): void {
    this.running = false;
    this.timer.stop();
    this.takeBackNext?.();
  }

  /** Something becomes due at this instant. */
  hear(dueAt: string): void {
    if (this.running) this.timer.hear(dueAt);
  }

  /** After a failure, once. */
  soon(): void {
    this.takeBackSoon ??= this.options.clock.after(1_000, () => {
      this.takeBackSoon = undefined;
      void this.look();
    });
  }

  /** Finds what is due now and what a lost holder left, and sets the timer for what comes next. */
  private async look(isRegular = false): Promise<void> {
    if (!this.running) return;
    const { store, leases, clock, onDue, onFailure } = this.options;
    try {
      await leases.renew();
      const wasPutBack = clock.now() < this.lookedAt;
      if (wasPutBack || (isRegular && this.mistrusted > 0)) {
        this.mistrusted = wasPutBack ? 2 : this.mistrusted - 1;
        await store.waitAnew(leases.newLease());
      }
      this.lookedAt = clock.now();
      const now = toInstant(this.lookedAt);
      await store.recover({ now });
      onDue(await store.endpointsWithWork(now));
      if (this.running) await this.timer.set(now);
    } catch (error) {
      onFailure('looking for due deliveries', error);
      this.soon();
    }
  }

  /** Renews our leases, and finds what others have lost, or what a failed write of ours has left. */
  private lookRegularly(): void {
    this.takeBackNext = this.options.clock.after(this.options.leaseMs / 3, () => {
      void this.look(true);
      this.lookRegularly();
    });
  }
}
