import {
  comparePositions,
  type Position,
  type OwnStreamKind,
  type RecordedEvent,
  type StoredRecord,
  type StreamName,
} from '@refledger/contracts';
import { emptyFolds, type RecordFold } from '@refledger/domain';
import { decodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import type { Reader } from '../consistency/consistency.js';
import { FoldCache, type CachedFold } from './fold-cache.js';
import type { ThrottledReads } from './throttled-reads.js';

/** A record by its aggregate and the stream that holds its events. */
export interface RecordStream {
  readonly kind: OwnStreamKind;
  readonly stream: StreamName;
}

/** A record to fold from its events. */
export interface PastRecord extends RecordStream {
  /** The last revision of its stream. */
  readonly revision: number;
  /** For whom it is read. */
  readonly reader: Reader;
}

/** Revisions from one to another, both included. */
export interface Revisions {
  readonly from: number;
  readonly to: number;
}

/** One event of a record, the event before it, and the record after it if that was asked for. */
export interface PastChange {
  readonly event: RecordedEvent;
  /** Undefined for the first event. */
  readonly previous: RecordedEvent | undefined;
  readonly record: StoredRecord | undefined;
}

/**
 * Reads the changes to records, and records as they were. The first read of a record in a long
 * stream folds its events from the start, at a bounded pace; later ones fold few. Every method
 * throws `UnreadableEvent`.
 */
export class RecordHistory {
  constructor(
    private readonly log: Pick<EventLog, 'readStream'>,
    private readonly throttledReads: ThrottledReads,
    private readonly kept = new FoldCache(),
  ) {}

  /**
   * The changes to a record, oldest first. Reads only their events and, for an affiliate, the one
   * before them, which has its personal values.
   */
  async changes({ kind, stream }: RecordStream, { from, to }: Revisions): Promise<PastChange[]> {
    const changes: PastChange[] = [];
    const first = kind === 'affiliate' ? Math.max(0, from - 1) : from;
    let previous: RecordedEvent | undefined;
    for await (const batch of this.log.readStream(stream, { from: first, to }))
      for (const event of batch.map(decodeEvent)) {
        if (event.revision >= from) changes.push({ event, previous, record: undefined });
        previous = event;
      }
    return changes;
  }

  /** The changes to a record, oldest first, each with the record after it. */
  changesWithRecords(of: PastRecord, { from, to }: Revisions): Promise<PastChange[]> {
    return this.fromKept(of, to, async (kept) => {
      const changes: PastChange[] = [];
      const start = kept.findLast(({ revision }) => revision < from);
      let previous: RecordedEvent | undefined;
      for await (const { event: logged, fold } of this.folds(of, start, to)) {
        const event = decodeEvent(logged);
        if (event.revision >= from) changes.push({ event, previous, record: fold.record });
        previous = event;
      }
      return changes;
    });
  }

  /** A record as of a position of the log; undefined if it did not exist yet. */
  recordAt(of: PastRecord, position: Position): Promise<StoredRecord | undefined> {
    const isAfter = (at: { readonly position: Position }): boolean =>
      comparePositions(at.position, position) > 0;
    return this.fromKept(of, of.revision, async (kept) => {
      const start = kept.findLast((fold) => !isAfter(fold));
      let record: StoredRecord | undefined;
      for await (const { event, fold } of this.folds(of, start, of.revision)) {
        if (isAfter(event)) break;
        record = fold.record;
      }
      return record;
    });
  }

  /**
   * Reads up to a revision with the help of the kept folds. Waits for its turn if there are none
   * near that revision.
   */
  private fromKept<T>(
    { stream, reader }: PastRecord,
    to: number,
    read: (kept: readonly CachedFold[]) => Promise<T>,
  ): Promise<T> {
    const start = this.kept.ofStream(stream).at(-1)?.revision ?? 0;
    const isLong = to - start > 2 * this.kept.every;
    const readFromKept = (): Promise<T> => this.unlessOutdated(stream, read);
    return isLong ? this.throttledReads.run(reader, readFromKept) : readFromKept();
  }

  /** Reads with the help of the kept folds, or without them if they turn out to be outdated. */
  private async unlessOutdated<T>(
    stream: StreamName,
    read: (kept: readonly CachedFold[]) => Promise<T>,
  ): Promise<T> {
    try {
      return await read(this.kept.ofStream(stream));
    } catch (error) {
      if (!(error instanceof OutdatedFold)) throw error;
      this.kept.forget(stream);
      return read([]);
    }
  }

  /**
   * The events of a stream, starting with the event of a kept fold, each with the fold up to it.
   * Throws `OutdatedFold` if the stream does not have the event of the kept fold.
   */
  private async *folds(
    { kind, stream }: RecordStream,
    start: CachedFold | undefined,
    to: number,
  ): AsyncGenerator<{ readonly event: LoggedEvent; readonly fold: RecordFold }> {
    let fold: RecordFold | undefined = start === undefined ? emptyFolds[kind] : undefined;
    for await (const batch of this.batches(stream, { from: start?.revision ?? 0, to })) {
      for (const event of batch) {
        fold = fold === undefined ? confirmed(start, event) : fold.evolve(decodeEvent(event));
        this.kept.offer(stream, { ...event, fold });
        yield { event, fold };
        if (event.revision >= to) return;
      }
    }
    if (fold === undefined) throw new OutdatedFold();
  }

  /** Reads at first only as many events as follow a kept fold: usually no more are needed. */
  private async *batches(
    stream: StreamName,
    { from, to }: Revisions,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    const soon = Math.min(to, from + this.kept.every);
    yield* this.log.readStream(stream, { from, to: soon });
    if (to > soon)
      yield* this.throttledReads.batches(this.log.readStream(stream, { from: soon + 1, to }));
  }
}

/**
 * A kept fold does not belong to this log: a backup was restored, or the node that answered is
 * behind.
 */
class OutdatedFold extends Error {}

/** The kept fold, if this is the event that it ends with. Otherwise throws `OutdatedFold`. */
const confirmed = (kept: CachedFold | undefined, { id }: LoggedEvent): RecordFold => {
  if (kept?.id !== id) throw new OutdatedFold();
  return kept.fold;
};
