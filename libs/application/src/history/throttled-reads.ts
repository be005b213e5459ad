import type { Reader, ReadWaits } from '../consistency/consistency.js';
import { Throttle, type ThrottleClock } from '../throttle.js';

/** Milliseconds of rest per millisecond of reading: reads take a quarter of the thread's time. */
const restPerRead = 3;

/** Bounds the reads that go through many events, so that they never slow down other requests by much. */
export class ThrottledReads {
  private readonly throttle: Throttle;

  constructor(
    private readonly waits: ReadWaits,
    clock?: ThrottleClock,
  ) {
    this.throttle = new Throttle(restPerRead, clock);
  }

  /**
   * Runs a read after the others of its account. Meanwhile the request counts as waiting, not as in
   * progress. Throws `read_model_behind` immediately if too many reads are waiting.
   */
  run<T>(reader: Reader, read: () => Promise<T>): Promise<T> {
    return this.waits.run(reader, () => this.throttle.ofAccount(reader.accountId, read));
  }

  /** Yields batches of the log. The first one is read immediately: most reads need no other. */
  async *batches<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = batches[Symbol.asyncIterator]();
    try {
      let next = await iterator.next();
      while (next.done !== true) {
        yield next.value;
        next = await this.throttle.step(() => iterator.next());
      }
    } finally {
      await iterator.return?.();
    }
  }
}
