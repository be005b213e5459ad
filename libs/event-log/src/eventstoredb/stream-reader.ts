import {
  BACKWARDS,
  END,
  START,
  type EventStoreDBClient,
  type ReadStreamOptions,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { streamPrefix, type StreamName } from '@refledger/contracts';
import type { EncodedAppend } from '../encode-append.js';
import { EventLogError } from '../event-log-error.js';
import type { LoggedEvent } from '../event-log.js';
import type { AppendAnswer } from './append-answer.js';
import { asEventLogError, isStreamNotFound } from './client-errors.js';
import type { Connection } from './connection.js';
import { gathered, readAhead, type ClientStream } from './gathered.js';
import { InactivityTimer } from './inactivity-timer.js';
import { eventOf } from './recorded-event.js';

/** Reads the events of single streams. */
export class StreamReader {
  constructor(
    private readonly connection: Connection,
    private readonly patienceMs: number,
    /** Aborting it ends every read. */
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Reads from one revision to another (both included); yields nothing when the stream does not
   * exist or was soft-deleted. Throws `unusable` when some of these events are gone.
   */
  async *read(
    stream: StreamName,
    from: number,
    to: number,
    batchSize: number,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    // the server would not answer a read of an empty range
    if (to < from) return;
    let next = from;
    for await (const batch of this.events(
      stream,
      {
        fromRevision: from === 0 ? START : BigInt(from),
        maxCount: Math.min(to - from + 1, Number.MAX_SAFE_INTEGER),
      },
      batchSize,
    )) {
      for (const { revision } of batch) {
        if (revision !== next)
          throw new EventLogError(
            { kind: 'unusable' },
            `${stream} has no events from revision ${next} up to ${revision} any more: they were truncated or deleted in EventStoreDB, which nothing of ours does`,
          );
        next += 1;
      }
      yield batch;
    }
  }

  /**
   * Finds the outcome of an append that the server did not explain: either its events are in the
   * stream, or the stream's revision rules it out for good.
   */
  async outcomeOf({
    stream,
    expected,
    events,
  }: EncodedAppend): Promise<Exclude<AppendAnswer, { kind: 'unknown' }>> {
    const before = expected === 'no stream' ? -1 : expected;
    const there: LoggedEvent[] = [];
    for await (const batch of this.read(stream, before + 1, before + events.length, events.length))
      there.push(...batch);
    const last = there.at(-1);
    if (
      last !== undefined &&
      there.length === events.length &&
      there.every(({ id }, n) => id === events[n]?.id)
    )
      return { kind: 'appended', revision: last.revision, position: last.position };
    const actual = await this.lastRevision(stream);
    if (actual !== expected) return { kind: 'wrong_revision', actual };
    throw new EventLogError(
      { kind: 'unknown_outcome' },
      `EventStoreDB at ${this.connection.hosts} does not say why it did not append to ${stream}`,
    );
  }

  private async lastRevision(stream: StreamName): Promise<number | 'no stream'> {
    for await (const [last] of this.events(
      stream,
      { direction: BACKWARDS, fromRevision: END, maxCount: 1 },
      1,
    ))
      if (last !== undefined) return last.revision;
    return 'no stream';
  }

  private async *events(
    stream: StreamName,
    options: ReadStreamOptions,
    batchSize: number,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    try {
      const open = (client: EventStoreDBClient) =>
        client.readStream(
          stream,
          { ...options, requiresLeader: true },
          readAhead,
        ) as unknown as ClientStream<ResolvedEvent>;
      for await (const batch of gathered(this.connection, open, {
        size: batchSize,
        patience: new InactivityTimer(this.patienceMs),
        signal: this.signal,
      }))
        yield batch.flatMap((each) => eventOf(each, streamPrefix) ?? []);
    } catch (error) {
      if (!isStreamNotFound(error)) throw asEventLogError(error, this.connection.hosts);
    }
  }
}
