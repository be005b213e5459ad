import type { Clock } from './clock.js';
import type { DeliveryStore } from './delivery-store.js';

/** One timer for whatever comes next: the earliest due time or end of a lease in the store. */
export class DueTimer {
  private next = Infinity;
  private takeBack: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly store: Pick<DeliveryStore, 'nextDueAt'>,
    private readonly onDue: () => void,
  ) {}

  /** Asks the store what comes after an instant. */
  async set(after: string): Promise<void> {
    const next = await this.store.nextDueAt(after);
    if (next !== undefined) this.hear(next);
  }

  /** Something is due at this instant: no later than that the timer ends. */
  hear(dueAt: string): void {
    const at = Date.parse(dueAt);
    if (at >= this.next) return;
    this.stop();
    this.next = at;
    this.takeBack = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.next = Infinity;
      this.onDue();
    });
  }

  stop(): void {
    this.takeBack?.();
    this.next = Infinity;
  }
}
