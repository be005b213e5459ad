import type { StreamName } from '@refledger/contracts';
import type { StreamVersions } from '../event-log.js';
import { streamKey } from './stream-key.js';

/**
 * Records which streams have changed, in memory that threads share: the writer counts changes, and
 * caches compare the counts.
 *
 * Streams share counters by hash, so a change to one may look like a change to another, but no
 * change goes unseen. The writer raises a counter before the transaction that changes one of its
 * streams, and again after it: while the count is odd, a change is in progress and the version is
 * unknown. So an even count that equals the one from before a read of the stream proves that no
 * change has become visible since, and after an acknowledged change the count always differs. Only
 * the writing thread calls `whileChanging` and `whileChangingAny`, and the directory's lock keeps
 * other processes from writing.
 */
export class StreamChanges implements StreamVersions {
  private readonly counts: BigInt64Array;

  constructor(
    readonly memory = new SharedArrayBuffer((counters + 1) * BigInt64Array.BYTES_PER_ELEMENT),
  ) {
    this.counts = new BigInt64Array(memory);
  }

  versionOf(stream: StreamName): bigint | undefined {
    return this.settled(counterOf(stream));
  }

  /** The version of the whole log, with the same guarantee as that of a stream. */
  ofAll(): bigint | undefined {
    return this.settled(counterOfAll);
  }

  /** Runs an operation that may change these streams, whether or not it succeeds. */
  whileChanging<T>(streams: readonly StreamName[], change: () => T): T {
    const changing = [counterOfAll, ...streams.map(counterOf)];
    this.start(changing);
    try {
      return change();
    } finally {
      this.end(changing);
    }
  }

  /**
   * Runs an operation that may change any stream. If it fails, all versions are unknown until it
   * succeeds.
   */
  whileChangingAny<T>(change: () => T): T {
    const all = this.counts.keys();
    this.start(all);
    const result = change();
    this.end(this.counts.keys());
    return result;
  }

  private settled(counter: number): bigint | undefined {
    const count = Atomics.load(this.counts, counter);
    return isInProgress(count) ? undefined : count;
  }

  private start(changing: Iterable<number>): void {
    for (const counter of changing)
      if (!isInProgress(Atomics.load(this.counts, counter))) Atomics.add(this.counts, counter, 1n);
  }

  private end(changing: Iterable<number>): void {
    for (const counter of changing)
      if (isInProgress(Atomics.load(this.counts, counter))) Atomics.add(this.counts, counter, 1n);
  }
}

/**
 * 512 KB of counters. At 1,000 changes a second, an unchanged stream is read again about once a
 * minute.
 */
const counters = 65_536;
/** Counts the changes of all streams. */
const counterOfAll = counters;

const isInProgress = (count: bigint): boolean => (count & 1n) === 1n;

const counterOf = (stream: StreamName): number => streamKey(stream) % counters;
