import { MinuteSteps, type MinuteStart } from './minute-steps.js';

/** How many minutes are kept, and how many steps of log time in all of them. */
const defaultSizes = { minutes: 64, steps: 100_000 };

/** Keeps the steps of the minutes that were read last, so that no minute is read again soon. */
export class KeptMinutes {
  private readonly byMinute = new Map<string, MinuteSteps>();

  constructor(private readonly sizes = defaultSizes) {}

  /**
   * The steps of a minute that begins here, as far as they have been read. Those of a minute without
   * a mark are not kept: the next read begins further on.
   */
  stepsOf(minute: string, { after, isMarked }: MinuteStart): MinuteSteps {
    if (!isMarked) return new MinuteSteps(minute, after);
    const key = `${minute} ${after ?? ''}`;
    const steps = this.byMinute.get(key) ?? new MinuteSteps(minute, after);
    this.byMinute.delete(key);
    this.forgetOldest();
    this.byMinute.set(key, steps);
    return steps;
  }

  /** Makes room for another minute by forgetting the least recently used ones. */
  private forgetOldest(): void {
    let count = 0;
    for (const { size } of this.byMinute.values()) count += size;
    for (const [key, { size }] of this.byMinute) {
      if (this.byMinute.size < this.sizes.minutes && count <= this.sizes.steps) return;
      this.byMinute.delete(key);
      count -= size;
    }
  }
}
