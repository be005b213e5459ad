import { setTimeout as sleep } from 'node:timers/promises';
import { processorBatchSize, type LogBatch } from '@refledger/event-log';
import type { WaiterSignal } from '@refledger/read-store';

/** A batch costs most of what it costs whatever its size: so long a rest lets more events come together, and no longer may who waits for one of them have to. */
const leastMs = 5;
const msPerEvent = 2;
/** The faster events come the more pages of the read models a longer rest saves, if nobody waits. */
const mostMs = 20;
const msPerRate = 5;

export interface LingerLimits {
  readonly leastMs: number;
  /** Unless somebody waits. */
  readonly mostMs: number;
}

/** How long to rest after a batch of so many events that came within so many milliseconds: one event alone hardly delays the next, and a full batch says that there are more. */
export const lingerLimits = (events: number, withinMs: number): LingerLimits => {
  if (events >= processorBatchSize) return { leastMs: 0, mostMs: 0 };
  const least = Math.min(leastMs, msPerEvent * events);
  return {
    leastMs: least,
    mostMs: Math.min(mostMs, Math.max(least, msPerRate * (events / withinMs - 1))),
  };
};

/** The rests between a processor's batches. */
export class Linger {
  private since: number;
  private asked: number;

  /** `monotonic`: a clock that never goes back, in milliseconds. */
  constructor(
    private readonly waiterSignal: WaiterSignal | undefined,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.since = monotonic();
    this.asked = waiterSignal?.count ?? 0;
  }

  async after({ events }: Pick<LogBatch, 'events'>): Promise<void> {
    const now = this.monotonic();
    const limits = lingerLimits(events.length, now - this.since);
    this.since = now;
    if (limits.leastMs > 0) await sleep(limits.leastMs);
    const longer = limits.mostMs - limits.leastMs;
    if (this.waiterSignal === undefined) return;
    if (longer > 0) await this.waiterSignal.wait({ since: this.asked, timeoutMs: longer });
    this.asked = this.waiterSignal.count;
  }
}
