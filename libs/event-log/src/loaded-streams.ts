import type { DomainEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import type { EventLog } from './event-log.js';
import { loadStream, type Loaded } from './load-stream.js';

/** Most streams remembered. */
const most = 4_096;

/**
 * Loads streams, and remembers what they came to. That is answered again only while the log can say that the stream has not changed since
 * (`EventLog.versions`), so it is always what reading would come to now. A log that can't say so is read every time.
 */
export class LoadedStreams {
  private readonly known = new Map<StreamName, Known>();

  constructor(private readonly log: EventLog) {}

  async load<State, Event extends DomainEvent>(decider: Decider<never, State, Event>, stream: StreamName): Promise<Loaded<State>> {
    // asked before the stream is read: a change while reading makes it another one
    const version = this.log.versions?.of(stream);
    if (version === undefined) return loadStream(this.log, decider, stream);
    const known = this.known.get(stream);
    // what the same decider made is of its own type of state
    if (known?.version === version && known.decider === decider) return known.loaded as Loaded<State>;
    const loaded = await loadStream(this.log, decider, stream);
    if (loaded.revision !== undefined) this.remember(stream, { decider, version, loaded });
    return loaded;
  }

  private remember(stream: StreamName, known: Known): void {
    this.known.delete(stream);
    this.known.set(stream, known);
    if (this.known.size <= most) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}

interface Known {
  readonly decider: object;
  readonly version: bigint;
  readonly loaded: Loaded<unknown>;
}
