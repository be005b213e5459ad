import type { DomainEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import type { EventLog } from './event-log.js';
import { readOn, type Folded, type Loaded } from './load-stream.js';
import { foldStream, type SnapshotOf } from './snapshots.js';

export interface RememberedSizes {
  /** Most streams remembered, of the short and of the long ones. */
  readonly short: number;
  readonly long: number;
  /** The revision from which on a stream is long. */
  readonly longFrom: number;
}

const usualSizes: RememberedSizes = { short: 4_096, long: 1_024, longFrom: 256 };

/**
 * Loads streams, and remembers what they came to, so that a stream is read only from its last known
 * event on, however long it is. Nothing of it is read while the log can say that it has not changed
 * since (`EventLog.versions`). So the answer is always what reading the whole stream would come to.
 */
export class AggregateCache {
  /** Apart, so that no number of short streams, which are cheap to read, pushes a long one out. */
  private readonly short = new Map<StreamName, Known<unknown>>();
  private readonly long = new Map<StreamName, Known<unknown>>();
  /** When the streams that are being read without being known will have been read. */
  private readonly firstReads = new Map<StreamName, Promise<void>>();

  constructor(
    private readonly log: EventLog,
    private readonly sizes = usualSizes,
    private readonly snapshotOf?: SnapshotOf,
  ) {}

  load<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<Loaded<State>> {
    const known = this.knownOf(decider, stream);
    return known === undefined
      ? this.loadUnknown(decider, stream)
      : this.loadKnown(decider, stream, known);
  }

  private async loadKnown<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
    known: Known<State>,
  ): Promise<Loaded<State>> {
    // asked before the stream is read: a change while reading makes it another one
    const version = this.log.versions?.of(stream);
    if (version !== undefined && known.version === version) return known.folded;
    const folded = await readOn(this.log, decider, stream, known.folded);
    return folded === undefined
      ? this.read(decider, stream)
      : this.remember(stream, { decider, version, folded });
  }

  /** A long stream is read once for all who ask at the same time: the others read on from there. */
  private async loadUnknown<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<Loaded<State>> {
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
  ): Promise<Loaded<State>> {
    const reading = this.read(decider, stream);
    const done = (): void => void this.firstReads.delete(stream);
    this.firstReads.set(stream, reading.then(done, done));
    return reading;
  }

  private async read<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<Loaded<State>> {
    const version = this.log.versions?.of(stream);
    return this.remember(stream, {
      decider,
      version,
      folded: await foldStream(this.log, decider, stream, this.snapshotOf),
    });
  }

  private knownOf<State, Event>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Known<State> | undefined {
    const known = this.short.get(stream) ?? this.long.get(stream);
    // what the same decider made is of its own type of state
    return known?.decider === decider ? (known as Known<State>) : undefined;
  }

  private remember<State>(stream: StreamName, known: Known<State>): Loaded<State> {
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

interface Known<State> {
  readonly decider: object;
  /** What the log said of the stream before it was read; undefined when it could not tell. */
  readonly version: bigint | undefined;
  readonly folded: Folded<State>;
}

/** Adds what was read last, and drops what was read longest ago when there is too much. */
const put = (
  streams: Map<StreamName, Known<unknown>>,
  most: number,
  stream: StreamName,
  known: Known<unknown>,
): void => {
  streams.set(stream, known);
  const [oldest] = streams.size > most ? streams.keys() : [];
  if (oldest !== undefined) streams.delete(oldest);
};
