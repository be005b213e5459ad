import { EventEmitter } from 'node:events';
import type { Clock } from '../clock.js';
import type { DeliveryStore } from '../stores/delivery-store.js';

/**
 * One timer for the next event in the store: the earliest due time or lease end. Emits `waiting`
 * when it comes.
 */
export class DueTimer extends EventEmitter<{ waiting: [] }> {
  private next = Infinity;
  private clear: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly store: Pick<DeliveryStore, 'nextDueAt'>,
  ) {
    super();
  }

  /** Sets the timer for what comes next in the store after an instant. */
  async set(after: string): Promise<void> {
    const next = await this.store.nextDueAt(after);
    if (next !== undefined) this.expect(next);
  }

  /** Makes sure that the timer ends no later than this instant. */
  expect(dueAt: string): void {
    const at = Date.parse(dueAt);
    if (at >= this.next) return;
    this.stop();
    this.next = at;
    this.clear = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.next = Infinity;
      this.emit('waiting');
    });
  }

  stop(): void {
    this.clear?.();
    this.next = Infinity;
  }
}
