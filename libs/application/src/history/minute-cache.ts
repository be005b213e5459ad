import type { PostingDecisions } from '@refledger/domain';
import { MinuteSteps, type MinuteStart } from './minute-steps.js';

/**
 * How many minutes are kept, and how many steps of log time in all of them. A step takes about 120
 * bytes, whatever the size of its event.
 */
const defaultSizes = { minutes: 64, steps: 100_000 };

/** Keeps the steps of the most recently used minutes, so that none of them is read again soon. */
export class MinuteCache {
  private readonly byMinute = new Map<string, MinuteSteps>();

  constructor(private readonly sizes = defaultSizes) {}

  /** The kept steps of a minute that starts here, as far as they have been read. */
  find(minute: string, start: MinuteStart, decisions: PostingDecisions): MinuteSteps | undefined {
    const key = keyOf(minute, start, decisions);
    const steps = start.isMarked ? this.byMinute.get(key) : undefined;
    if (steps !== undefined) this.put(key, steps);
    return steps;
  }

  /**
   * The steps of a minute that have been read so far; the caller reads on from there. Steps of a
   * minute without a mark are not kept: the next read starts later.
   */
  stepsOf(minute: string, start: MinuteStart, decisions: PostingDecisions): MinuteSteps {
    const known = this.find(minute, start, decisions);
    if (known !== undefined) return known;
    const steps = new MinuteSteps(minute, start.after, decisions);
    if (start.isMarked) this.put(keyOf(minute, start, decisions), steps);
    return steps;
  }

  /** Forgets the least recently used minutes, if there are too many minutes or steps. */
  trim(): void {
    let count = 0;
    for (const { size } of this.byMinute.values()) count += size;
    for (const [key, { size }] of this.byMinute) {
      if (this.byMinute.size <= this.sizes.minutes && count <= this.sizes.steps) return;
      this.byMinute.delete(key);
      count -= size;
    }
  }

  private put(key: string, steps: MinuteSteps): void {
    this.byMinute.delete(key);
    this.byMinute.set(key, steps);
  }
}

/** The last decision tells whether the steps were read with all of them applied. */
const keyOf = (minute: string, { after }: MinuteStart, { revision }: PostingDecisions): string =>
  `${minute} ${after ?? ''} ${revision}`;
