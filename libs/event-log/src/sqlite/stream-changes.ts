import type { StreamName } from '@refledger/contracts';
import type { StreamVersions } from '../event-log.js';
import { streamKey } from './stream-key.js';

/**
 * Which streams have changed, in memory that threads share: the writer counts, whoever remembers a stream compares.
 *
 * Streams share counters by hash, so a change of one may seem one of another, never the reverse. A counter is raised before the transaction that
 * changes a stream of its and again after it: odd says that a change is under way and nothing can be told. So a count that is even and the same as
 * before a read of the stream proves that no change has become visible since, and of a change that was acknowledged it is never the same.
 * Only the thread that writes calls `during` and `afresh`, and the lock of the folder keeps other processes from writing.
 */
export class StreamChanges implements StreamVersions {
  private readonly counts: BigInt64Array;

  constructor(readonly memory = new SharedArrayBuffer(counters * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.counts = new BigInt64Array(memory);
  }

  of(stream: StreamName): bigint | undefined {
    const count = Atomics.load(this.counts, counterOf(stream));
    return isUnderWay(count) ? undefined : count;
  }

  /** Does what may change these streams, whatever comes of it. */
  during<T>(streams: readonly StreamName[], change: () => T): T {
    const changing = streams.map(counterOf);
    this.begin(changing);
    try {
      return change();
    } finally {
      this.end(changing);
    }
  }

  /** Does what may change any stream. When it fails, nothing can be told until it has been done. */
  afresh<T>(change: () => T): T {
    const all = this.counts.keys();
    this.begin(all);
    const result = change();
    this.end(this.counts.keys());
    return result;
  }

  private begin(changing: Iterable<number>): void {
    for (const counter of changing)
      if (!isUnderWay(Atomics.load(this.counts, counter))) Atomics.add(this.counts, counter, 1n);
  }

  private end(changing: Iterable<number>): void {
    for (const counter of changing)
      if (isUnderWay(Atomics.load(this.counts, counter))) Atomics.add(this.counts, counter, 1n);
  }
}

/** 512 KB of them: at a thousand changes a second a stream that does not change is read again about once a minute. */
const counters = 65_536;

const isUnderWay = (count: bigint): boolean => (count & 1n) === 1n;

const counterOf = (stream: StreamName): number => streamKey(stream) % counters;
