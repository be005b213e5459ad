import { toJson, type Position, type StreamName } from '@refledger/contracts';
import type { RecordFold } from '@refledger/domain';

/** A stream folded up to an event with this id, revision and position. */
export interface CachedFold {
  readonly id: string;
  readonly revision: number;
  readonly position: Position;
  readonly fold: RecordFold;
}

/**
 * The number of events between two kept folds of one stream, and the maximum size of all folds, in
 * characters of their records. A character takes up to two bytes.
 */
const defaultSizes = { every: 100, maxSize: 8 * 1024 * 1024 };

/**
 * The size counted for each fold in addition to its record, so that about a thousand small ones are
 * kept.
 */
const sizeOfFold = 8_000;

/**
 * Keeps folds of long streams, one per hundred events, so that a record can be built as of any
 * event without folding all events before it. A stream with fewer events takes no room; the least
 * recently used stream makes room for others.
 */
export class FoldCache {
  /** The number of events of a stream per kept fold. */
  readonly every: number;
  private readonly maxSize: number;
  private readonly byStream = new Map<StreamName, FoldsOfStream>();
  private size = 0;

  constructor({ every, maxSize } = defaultSizes) {
    this.every = every;
    this.maxSize = maxSize;
  }

  /** The kept folds of a stream, in order and without gaps from its start. */
  ofStream(stream: StreamName): readonly CachedFold[] {
    const known = this.byStream.get(stream);
    if (known === undefined) return [];
    this.put(stream, known);
    return known.folds;
  }

  /** Keeps a fold if its event is one of those that are kept. */
  offer(stream: StreamName, { id, revision, position, fold }: CachedFold): void {
    const { folds, size } = this.byStream.get(stream) ?? { folds: [], size: 0 };
    if (revision + 1 !== (folds.length + 1) * this.every) return;
    const added = sizeOf(fold);
    folds.push({ id, revision, position, fold });
    this.put(stream, { folds, size: size + added });
    this.size += added;
    for (const oldest of this.byStream.keys()) {
      if (this.size <= this.maxSize) return;
      this.forget(oldest);
    }
  }

  forget(stream: StreamName): void {
    this.size -= this.byStream.get(stream)?.size ?? 0;
    this.byStream.delete(stream);
  }

  private put(stream: StreamName, folds: FoldsOfStream): void {
    this.byStream.delete(stream);
    this.byStream.set(stream, folds);
  }
}

interface FoldsOfStream {
  readonly folds: CachedFold[];
  readonly size: number;
}

const sizeOf = ({ record }: RecordFold): number =>
  sizeOfFold + (record === undefined ? 0 : toJson(record).length);
