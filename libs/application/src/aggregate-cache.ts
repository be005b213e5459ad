import type { DomainEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import {
  continueReading,
  type EventLog,
  type FoldedStream,
  type LoadedStream,
} from '@refledger/event-log';
import { foldStream, type SnapshotOf } from './snapshots.js';

/** How many streams an `AggregateCache` keeps. */
const defaultSizes = {
  short: 4_096,
  long: 1_024,
  /** A stream whose last revision is at least this counts as long. */
  longFrom: 256,
};

/**
 * Loads streams and keeps their folded states, so that a later load reads a stream only from its
 * last known event on. It reads nothing while the log reports that the stream has not changed
 * (`EventLog.versions`). The result is always the same as after reading the whole stream.
 */
export class AggregateCache {
  /** Kept apart, so that many short streams, which are cheap to read, never push out a long one. */
  private readonly short = new Map<StreamName, CachedStream<unknown>>();
  private readonly long = new Map<StreamName, CachedStream<unknown>>();
  /** For each unknown stream that is being read: settles once the read is over. */
  private readonly firstReads = new Map<StreamName, Promise<void>>();

  constructor(
    private readonly log: EventLog,
    private readonly sizes = defaultSizes,
    private readonly snapshotOf?: SnapshotOf,
  ) {}

  load<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<LoadedStream<State>> {
    const known = this.knownOf(decider, stream);
    return known === undefined
      ? this.loadUnknown(decider, stream)
      : this.loadKnown(decider, stream, known);
  }

  private async loadKnown<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
    known: CachedStream<State>,
  ): Promise<LoadedStream<State>> {
    // ask before reading: a change during the read changes the version
    const version = this.log.versions?.versionOf(stream);
    if (version !== undefined && known.version === version) return known.folded;
    const folded = await continueReading(this.log, decider, stream, known.folded);
    return folded === undefined
      ? this.read(decider, stream)
      : this.remember(stream, { decider, version, folded });
  }

  /**
   * Concurrent loads of an unknown stream share its first read; a load that waited for it continues
   * from there.
   */
  private async loadUnknown<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<LoadedStream<State>> {
    const first = this.firstReads.get(stream);
    if (first === undefined) return this.readFirst(decider, stream);
    await first;
    const known = this.knownOf(decider, stream);
    return known === undefined
      ? this.read(decider, stream)
      : this.loadKnown(decider, stream, known);
  }

  private readFirst<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<LoadedStream<State>> {
    const reading = this.read(decider, stream);
    const done = (): void => void this.firstReads.delete(stream);
    this.firstReads.set(stream, reading.then(done, done));
    return reading;
  }

  private async read<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<LoadedStream<State>> {
    const version = this.log.versions?.versionOf(stream);
    return this.remember(stream, {
      decider,
      version,
      folded: await foldStream(this.log, decider, stream, this.snapshotOf),
    });
  }

  private knownOf<State, Event>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): CachedStream<State> | undefined {
    const known = this.short.get(stream) ?? this.long.get(stream);
    // a state that the same decider made has that decider's state type
    return known?.decider === decider ? (known as CachedStream<State>) : undefined;
  }

  private remember<State>(stream: StreamName, known: CachedStream<State>): LoadedStream<State> {
    const { folded } = known;
    this.short.delete(stream);
    this.long.delete(stream);
    if (folded.revision === undefined) return folded;
    const isLong = folded.revision >= this.sizes.longFrom;
    put(
      isLong ? this.long : this.short,
      isLong ? this.sizes.long : this.sizes.short,
      stream,
      known,
    );
    return folded;
  }
}

interface CachedStream<State> {
  readonly decider: object;
  /** The stream's version from before the read; undefined when the log did not know it. */
  readonly version: bigint | undefined;
  readonly folded: FoldedStream<State>;
}

/** Adds the latest entry, and drops the oldest one when there are more than `maxSize`. */
const put = (
  streams: Map<StreamName, CachedStream<unknown>>,
  maxSize: number,
  stream: StreamName,
  known: CachedStream<unknown>,
): void => {
  streams.set(stream, known);
  const [oldest] = streams.size > maxSize ? streams.keys() : [];
  if (oldest !== undefined) streams.delete(oldest);
};
