import {
  BACKWARDS,
  END,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { comparePositions, streamPrefix, type Position } from '@refledger/contracts';
import { unavailable } from '../../event-log-error.js';
import type { LogBatch, LoggedEvent } from '../../event-log.js';
import { asEventLogError, isCutOff } from '../client-errors.js';
import type { Connection } from '../connection.js';
import { lookUp } from './event-lookup.js';
import { lastEvent } from './last-event.js';
import { readBatches } from './read-batches.js';
import { InactivityTimer, readAhead, type ClientStream } from './read-from-node.js';
import { eventOf, esdbPosition, positionOf } from './recorded-event.js';

export interface AllReadRange {
  readonly after: Position | undefined;
  readonly prefix: string;
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/**
 * Reads Refledger's events in log order from `$all`, filtered on the server where the client
 * supports that.
 */
export class AllReader {
  constructor(
    private readonly connection: Connection,
    private readonly timeoutMs: number,
  ) {}

  /** The event at exactly this position; undefined only when the log certainly has none there. */
  eventAt(position: Position, signal: AbortSignal): Promise<LoggedEvent | undefined> {
    return lookUp(this.connection, position, { size: 256, timeoutMs: this.timeoutMs, signal });
  }

  /** Refledger's last event, before whatever the system and other programs have written since. */
  async last(signal: AbortSignal): Promise<LoggedEvent | undefined> {
    try {
      return await this.connection.withLeader(async (node) => {
        const last = await lastEvent(node, this.timeoutMs, signal);
        if (last !== undefined) this.connection.recordCommit(node, BigInt(last.position));
        return last;
      });
    } catch (error) {
      throw asEventLogError(error, this.connection.hosts);
    }
  }

  /**
   * Reads from the end at the time of the call back to the start. The client can't have the
   * server filter this.
   */
  async *backwards({
    prefix,
    batchSize,
    signal,
  }: Omit<AllReadRange, 'after'>): AsyncGenerator<readonly LoggedEvent[]> {
    try {
      const open = (client: EventStoreDBClient): ClientStream<AllStreamResolvedEvent> =>
        client.readAll(
          { fromPosition: END, direction: BACKWARDS, requiresLeader: true },
          readAhead,
        );
      for await (const found of readBatches(this.connection, open, {
        size: batchSize,
        inactivity: new InactivityTimer(this.timeoutMs),
        signal,
      })) {
        const events = found.flatMap((each) => eventOf(each, prefix) ?? []);
        if (events.length > 0) yield events;
      }
    } catch (error) {
      throw asEventLogError(error, this.connection.hosts);
    }
  }

  /** Reads up to the end at the time of the call. */
  async *toEnd(following: AllReadRange): AsyncGenerator<LogBatch> {
    const { after, prefix, signal } = following;
    if (after !== undefined) this.connection.recordPosition(after);
    const end = await this.last(signal);
    if (end === undefined || (after !== undefined && comparePositions(end.position, after) <= 0))
      return;
    // the filter also lets the last event through, so that the read notices when it has reached the
    // end
    const prefixes = prefix === streamPrefix ? [streamPrefix] : [prefix, end.stream];
    for await (const { events, through } of this.follow(
      following,
      prefixes,
      new InactivityTimer(this.timeoutMs),
    )) {
      const isEnd = comparePositions(through, end.position) >= 0;
      yield isEnd
        ? {
            events: events.filter(({ position }) => comparePositions(position, end.position) <= 0),
            through: end.position,
          }
        : { events, through };
      if (isEnd) return;
    }
  }

  /**
   * Reads indefinitely. The server filters by a narrow prefix only up to the end; from there on it
   * sends all of Refledger's events, so that `through` advances.
   */
  async *onwards(following: AllReadRange): AsyncGenerator<LogBatch> {
    let { after } = following;
    if (following.prefix !== streamPrefix) {
      for await (const batch of this.toEnd(following)) {
        after = batch.through;
        yield batch;
      }
    }
    yield* this.follow({ ...following, after }, [streamPrefix]);
  }

  private async *follow(
    { after: start, prefix, batchSize, signal }: AllReadRange,
    prefixes: readonly string[],
    inactivity?: InactivityTimer,
  ): AsyncGenerator<LogBatch> {
    let after = start;
    if (after !== undefined) this.connection.recordPosition(after);
    for (let moved = true; moved;) {
      moved = false;
      try {
        for await (const found of readBatches(
          this.connection,
          (client) => this.subscription(client, after, prefixes, inactivity),
          { size: batchSize, inactivity, signal },
        )) {
          after = positionOf(found.at(-1)?.event?.position.commit);
          moved = true;
          yield { events: found.flatMap((each) => eventOf(each, prefix) ?? []), through: after };
        }
        throw unavailable(`EventStoreDB at ${this.connection.hosts} ended the subscription`);
      } catch (error) {
        // The server cuts off a live subscriber that is too slow: continue from the last event. Any
        // other end goes to the processor, which first checks that the log is still the same.
        if (signal.aborted || !isCutOff(error) || !moved)
          throw asEventLogError(error, this.connection.hosts);
      }
    }
  }

  private subscription(
    client: EventStoreDBClient,
    after: Position | undefined,
    prefixes: readonly string[],
    inactivity: InactivityTimer | undefined,
  ): ClientStream<AllStreamResolvedEvent> {
    // the server sends a checkpoint when it finds nothing for a long time
    const filter = streamNameFilter({
      prefixes: [...prefixes],
      checkpointInterval: 32,
      checkpointReached: () => inactivity?.heard(),
    });
    return client.subscribeToAll(
      { fromPosition: after === undefined ? START : esdbPosition(after), filter },
      readAhead,
    );
  }
}
