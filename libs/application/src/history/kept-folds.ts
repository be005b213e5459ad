import type { Position, StreamName } from '@refledger/contracts';
import type { RecordFold } from '@refledger/domain';

/** A stream folded up to an event with this id, revision and position. */
export interface KeptFold {
  readonly id: string;
  readonly revision: number;
  readonly position: Position;
  readonly fold: RecordFold;
}

/** How many folds are kept, and how many events are between two of one stream. */
const defaultSizes = { every: 100, max: 1_000 };

/**
 * Keeps folds of long streams, one per hundred events, so that a record can be made as of any event
 * without folding all events before it. A stream with fewer events takes no room; the least
 * recently used stream makes room for others.
 */
export class KeptFolds {
  /** The number of events of a stream per kept fold. */
  readonly every: number;
  private readonly max: number;
  private readonly byStream = new Map<StreamName, KeptFold[]>();
  private count = 0;

  constructor({ every, max } = defaultSizes) {
    this.every = every;
    this.max = max;
  }

  /** The kept folds of a stream, in order and without gaps from its beginning. */
  of(stream: StreamName): readonly KeptFold[] {
    const folds = this.byStream.get(stream);
    if (folds === undefined) return [];
    this.byStream.delete(stream);
    this.byStream.set(stream, folds);
    return folds;
  }

  /** Keeps a fold if its event is one of those that are kept. */
  offer(stream: StreamName, { id, revision, position, fold }: KeptFold): void {
    const folds = this.byStream.get(stream) ?? [];
    if (revision + 1 !== (folds.length + 1) * this.every) return;
    folds.push({ id, revision, position, fold });
    this.byStream.set(stream, folds);
    this.count++;
    if (this.count > this.max) this.forgetOldest();
  }

  forget(stream: StreamName): void {
    this.count -= this.byStream.get(stream)?.length ?? 0;
    this.byStream.delete(stream);
  }

  private forgetOldest(): void {
    const [oldest] = this.byStream.keys();
    if (oldest !== undefined) this.forget(oldest);
  }
}
