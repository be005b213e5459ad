import { setTimeout as sleep } from 'node:timers/promises';
import { processorBatchSize, type LogBatch } from '@refledger/event-log';
import type { WaiterSignal } from '@refledger/read-store';

/**
 * A batch costs nearly the same whatever its size, so a linger this long lets more events join it.
 * It is also the longest delay for a reader that waits for one of them.
 */
const leastMs = 5;
const msPerEvent = 2;
/**
 * The faster events arrive, the more page writes a longer linger saves in the read models. It ends
 * when a reader waits.
 */
const maxMs = 20;
const msPerRate = 5;

/** How long a processor lingers after a batch, in milliseconds. */
export interface LingerLimits {
  readonly leastMs: number;
  /** The limit while no reader waits. */
  readonly maxMs: number;
}

/**
 * How long to linger after a batch of this many events that came within this many milliseconds. A
 * single event hardly delays the next, and after a full batch more events are ready already.
 */
export const lingerLimits = (events: number, withinMs: number): LingerLimits => {
  if (events >= processorBatchSize) return { leastMs: 0, maxMs: 0 };
  const least = Math.min(leastMs, msPerEvent * events);
  return {
    leastMs: least,
    maxMs: Math.min(maxMs, Math.max(least, msPerRate * (events / withinMs - 1))),
  };
};

/** Lingers between a processor's batches. */
export class Linger {
  private since: number;
  private asked: number;

  /** `monotonic` is a clock that never goes back, in milliseconds. */
  constructor(
    private readonly waiterSignal: WaiterSignal | undefined,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.since = monotonic();
    this.asked = waiterSignal?.count ?? 0;
  }

  /** Lingers after a batch. */
  async after({ events }: Pick<LogBatch, 'events'>): Promise<void> {
    const now = this.monotonic();
    const limits = lingerLimits(events.length, now - this.since);
    this.since = now;
    if (limits.leastMs > 0) await sleep(limits.leastMs);
    const longer = limits.maxMs - limits.leastMs;
    if (this.waiterSignal === undefined) return;
    if (longer > 0) await this.waiterSignal.wait({ since: this.asked, timeoutMs: longer });
    this.asked = this.waiterSignal.count;
  }
}
