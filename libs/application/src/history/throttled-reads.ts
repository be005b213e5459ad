import { setTimeout as sleep } from 'node:timers/promises';
import type { Reader, ReadWaits } from '../consistency/consistency.js';
import { KeyedMutex } from '../keyed-mutex.js';

/** Milliseconds of rest per millisecond of reading: reads take a quarter of the thread's time. */
const restPerRead = 3;

/** The clock of `performance.now`, and a way to wait by it, both in milliseconds. */
export interface ThrottleClock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/**
 * Bounds the reads that go through many events, so that they never slow down other requests by
 * much. Reads of one account run one after another, so an account with many reads holds up only its
 * own. Reads of different accounts take turns with every batch, and rest between two batches.
 */
export class ThrottledReads {
  private readonly byAccount = new KeyedMutex();
  private readonly turns = new KeyedMutex();
  private restUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly waits: ReadWaits,
    private readonly clock: ThrottleClock = { now: () => performance.now(), sleep },
  ) {}

  /**
   * Runs a read after the others of its account. Meanwhile the request counts as waiting, not as in
   * progress. Throws `read_model_behind` immediately if too many reads are waiting.
   */
  run<T>(reader: Reader, read: () => Promise<T>): Promise<T> {
    return this.waits.run(reader, () => this.byAccount.run(reader.accountId, read));
  }

  /** Yields batches of the log. The first one is read immediately: most reads need no other. */
  async *batches<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = batches[Symbol.asyncIterator]();
    try {
      let next = await iterator.next();
      while (next.done !== true) {
        yield next.value;
        next = await this.turns.run('batch', () => this.afterRest(() => iterator.next()));
      }
    } finally {
      await iterator.return?.();
    }
  }

  private async afterRest<T>(read: () => Promise<T>): Promise<T> {
    const rest = this.restUntil - this.clock.now();
    if (rest > 0) await this.clock.sleep(rest);
    const begin = this.clock.now();
    try {
      return await read();
    } finally {
      const end = this.clock.now();
      this.restUntil = end + restPerRead * (end - begin);
    }
  }
}
