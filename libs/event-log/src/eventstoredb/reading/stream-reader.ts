import {
  BACKWARDS,
  END,
  START,
  type EventStoreDBClient,
  type ReadStreamOptions,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { streamPrefix, type StreamName } from '@refledger/contracts';
import type { EncodedAppend } from '../../encode-append.js';
import { unusable, unknownOutcome } from '../../event-log-error.js';
import type { LoggedEvent } from '../../event-log.js';
import type { AppendResponse } from '../appending/append-response.js';
import { asEventLogError, isStreamNotFound } from '../client-errors.js';
import type { Connection } from '../connection.js';
import { readBatches } from './read-batches.js';
import { InactivityTimer, readAhead, type ClientStream } from './read-from-node.js';
import { eventOf } from './recorded-event.js';

/** Reads the events of single streams. */
export class StreamReader {
  constructor(
    private readonly connection: Connection,
    private readonly timeoutMs: number,
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
          throw unusable(
            `${stream} lacks the events from revision ${next} to ${revision}, which were truncated or deleted in EventStoreDB; Refledger never does that. Restore a backup.`,
          );
        next += 1;
      }
      yield batch;
    }
  }

  /**
   * Finds the outcome of an append that the server did not explain: either its events are in the
   * stream, or the stream's revision rules it out permanently.
   */
  async outcomeOf({
    stream,
    expected,
    events,
  }: EncodedAppend): Promise<Exclude<AppendResponse, { kind: 'unknown' }>> {
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
    throw unknownOutcome(
      `EventStoreDB at ${this.connection.hosts} gave no reason for not appending to ${stream}`,
    );
  }

  private async lastRevision(stream: StreamName): Promise<number | 'no stream'> {
    const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
    let revision: number | 'no stream' = 'no stream';
    for await (const [last] of this.events(stream, options, 1))
      if (last !== undefined) revision = last.revision;
    return revision;
  }

  private async *events(
    stream: StreamName,
    options: ReadStreamOptions,
    batchSize: number,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    try {
      const open = (client: EventStoreDBClient): ClientStream<ResolvedEvent> =>
        client.readStream(stream, { ...options, requiresLeader: true }, readAhead);
      for await (const batch of readBatches(this.connection, open, {
        size: batchSize,
        inactivity: new InactivityTimer(this.timeoutMs),
        signal: this.signal,
      }))
        yield batch.flatMap((each) => eventOf(each, streamPrefix) ?? []);
    } catch (error) {
      if (!isStreamNotFound(error)) throw asEventLogError(error, this.connection.hosts);
    }
  }
}
