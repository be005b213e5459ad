import type { EventMetadata, LogId, Position, StreamName } from '@refledger/contracts';
import type { AppendResult, LoggedEvent } from '@refledger/event-log';
import {
  opening,
  wrongRevision,
  type EncodedAppend,
  type NewLog,
} from '@refledger/event-log/adapter';
import { Changes } from '../changes.js';

/** Which streams to read, and how many of their events at most. */
export interface Scan {
  readonly prefix: string;
  readonly limit: number;
}

/** Events that match, in the order of the scan, and the position that it has reached. */
export interface ScanResult {
  readonly events: readonly LoggedEvent[];
  readonly through: number;
}

/** The events that a log in memory has committed. They outlive the handles that use them. */
export class CommittedEvents {
  readonly logId: LogId;
  readonly changes = new Changes();
  private readonly all: LoggedEvent[] = [];
  private readonly streams = new Map<StreamName, LoggedEvent[]>();

  /** A log with its first event, which says its id. */
  constructor(opened: NewLog) {
    this.logId = opened.logId;
    this.append(opening(opened));
  }

  /** How many events there are, and so the last one's position. */
  get count(): number {
    return this.all.length;
  }

  /** The events of a stream, each at the index of its revision. */
  stream(stream: StreamName): readonly LoggedEvent[] {
    return this.streams.get(stream) ?? [];
  }

  eventAt(position: number): LoggedEvent | undefined {
    return this.all[position - 1];
  }

  /** Scans on from the event after `after`, up to and including the one at `end`. */
  forwards(after: number, end: number, { prefix, limit }: Scan): ScanResult {
    const events: LoggedEvent[] = [];
    let through = after;
    while (through < end && events.length < limit) {
      through += 1;
      const event = this.eventAt(through);
      if (event?.stream.startsWith(prefix)) events.push(event);
    }
    return { events, through };
  }

  /** Scans back from the event before `before`. */
  backwards(before: number, { prefix, limit }: Scan): ScanResult {
    const events: LoggedEvent[] = [];
    let through = before;
    while (through > 1 && events.length < limit) {
      through -= 1;
      const event = this.eventAt(through);
      if (event?.stream.startsWith(prefix)) events.push(event);
    }
    return { events, through };
  }

  /** Commits all events of an append or none. Throws `wrong_revision`. */
  append({ stream, expected, events }: EncodedAppend): AppendResult {
    const first = expected === 'no stream' ? 0 : expected + 1;
    const there = this.stream(stream);
    if (there.length === first) this.add(stream, events);
    else if (events.some(({ id }, n) => there[first + n]?.id !== id))
      throw wrongRevision(stream, expected, there.length === 0 ? 'no stream' : there.length - 1);
    const revision = first + events.length - 1;
    return { revision, position: this.stream(stream)[revision]?.position };
  }

  private add(stream: StreamName, events: EncodedAppend['events']): void {
    const there = this.streams.get(stream) ?? [];
    this.streams.set(stream, there);
    for (const { id, type, data, metadata } of events) {
      const event = {
        id,
        type,
        data: decoded(data),
        metadata: decoded(metadata) as EventMetadata,
        stream,
        revision: there.length,
        position: toLogPosition(this.count + 1),
      };
      there.push(event);
      this.all.push(event);
    }
    this.changes.notify();
  }
}

export const toLogPosition = (position: number): Position => String(position) as Position;

/** Frozen, since all readers share the events. */
const decoded = (json: string): unknown =>
  JSON.parse(json, (_key, value: unknown) => Object.freeze(value));
