import { messageOf } from '@refledger/event-log';

export interface SlowFigureOptions {
  /** Measures the figure and sets its metrics. */
  readonly measure: () => Promise<void>;
  readonly remove: () => void;
  readonly onFailure: (error: unknown) => void;
}

const everyMs = 1_000;
/** A store with millions of deliveries takes a while to count them, and others use it meanwhile. */
const pausePerMeasuredMs = 20;
/** However long a measurement took, the figure must not be much older than this. */
const longestPauseMs = 15_000;
/** A figure that was not measured for this long is removed: it says nothing about now. */
const oldestMs = 60_000;

/**
 * A figure that takes a while to measure: once per second, or less often if that takes over 50 ms.
 * One measurement runs at a time, since several at once would make a slow store even slower.
 */
export class SlowFigure {
  private lastFailure: string | undefined;
  private measuredAt = performance.now();
  private next: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly options: SlowFigureOptions) {
    void this.run();
  }

  /** Why the last measurement failed; undefined if it succeeded. */
  get failure(): string | undefined {
    return this.lastFailure;
  }

  /** Removes the figure if it is too old. */
  expire(): void {
    if (performance.now() - this.measuredAt > oldestMs) this.options.remove();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.next);
  }

  private async run(): Promise<void> {
    const began = performance.now();
    let pauseMs = everyMs;
    try {
      await this.options.measure();
      this.lastFailure = undefined;
      this.measuredAt = performance.now();
      pauseMs = Math.max(everyMs, pausePerMeasuredMs * (this.measuredAt - began));
    } catch (error) {
      this.lastFailure = messageOf(error);
      this.options.onFailure(error);
    }
    if (this.isStopped) return;
    this.next = setTimeout(() => void this.run(), Math.min(pauseMs, longestPauseMs)).unref();
  }
}
