import {
  BACKWARDS,
  END,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type ReadAllOptions,
} from '@eventstore/db-client';
import { comparePositions, streamPrefix, type Position } from '@refledger/contracts';
import { EventLogError } from '../event-log-error.js';
import type { LogBatch, LoggedEvent } from '../event-log.js';
import { asEventLogError, isCutOff } from './client-errors.js';
import type { Connection } from './connection.js';
import { EventLookup } from './event-lookup.js';
import { gathered, readAhead, type ClientStream } from './gathered.js';
import { InactivityTimer } from './inactivity-timer.js';
import { eventOf, placeAt, positionOf } from './recorded-event.js';

/** What a read of `$all` covers. */
export interface Following {
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
    private readonly patienceMs: number,
  ) {}

  /** The event at exactly this position; undefined only when the log certainly has none there. */
  at(position: Position, signal: AbortSignal): Promise<LoggedEvent | undefined> {
    return new EventLookup(this.connection, this.patienceMs).at(position, signal);
  }

  /** Refledger's last event, before whatever the system and other programs have written since. */
  async last(signal: AbortSignal): Promise<LoggedEvent | undefined> {
    try {
      // it is usually among the last few records
      return (
        (await this.lastAmong(8, signal)) ?? (await this.lastAmong(Number.MAX_SAFE_INTEGER, signal))
      );
    } catch (error) {
      throw asEventLogError(error, this.connection.hosts);
    }
  }

  /**
   * Reads from the end at the time of the call back to the beginning. The client can't have the
   * server filter this.
   */
  async *backwards({
    prefix,
    batchSize,
    signal,
  }: Omit<Following, 'after'>): AsyncGenerator<readonly LoggedEvent[]> {
    try {
      for await (const found of this.batches(
        { fromPosition: END, direction: BACKWARDS },
        batchSize,
        signal,
      )) {
        const events = found.flatMap((each) => eventOf(each, prefix) ?? []);
        if (events.length > 0) yield events;
      }
    } catch (error) {
      throw asEventLogError(error, this.connection.hosts);
    }
  }

  /** Reads up to the end at the time of the call. */
  async *toEnd({ after, prefix, batchSize, signal }: Following): AsyncGenerator<LogBatch> {
    if (after !== undefined) this.connection.given(after);
    const end = await this.last(signal);
    if (end === undefined || (after !== undefined && comparePositions(end.position, after) <= 0))
      return;
    // the filter also lets the last event through, so that the read notices when it has reached the
    // end
    const prefixes = prefix === streamPrefix ? [streamPrefix] : [prefix, end.stream];
    for await (const { events, through } of this.follow(
      { after, prefix, batchSize, signal },
      prefixes,
      new InactivityTimer(this.patienceMs),
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
   * Reads without an end. The server filters by a narrow prefix only up to the end; from there on
   * it sends all of Refledger's events, so that `through` advances.
   */
  async *onwards({ after, prefix, batchSize, signal }: Following): AsyncGenerator<LogBatch> {
    let place = after;
    if (prefix !== streamPrefix) {
      for await (const batch of this.toEnd({ after, prefix, batchSize, signal })) {
        place = batch.through;
        yield batch;
      }
    }
    yield* this.follow({ after: place, prefix, batchSize, signal }, [streamPrefix]);
  }

  /** Refledger's last event among the last `maxCount` records of all kinds. */
  private async lastAmong(maxCount: number, signal: AbortSignal): Promise<LoggedEvent | undefined> {
    const options: ReadAllOptions = { fromPosition: END, direction: BACKWARDS, maxCount };
    for await (const found of this.read(options, signal)) {
      const event = eventOf(found, streamPrefix);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  private async *follow(
    { after: start, prefix, batchSize, signal }: Following,
    prefixes: readonly string[],
    patience?: InactivityTimer,
  ): AsyncGenerator<LogBatch> {
    let after = start;
    if (after !== undefined) this.connection.given(after);
    for (let moved = true; moved;) {
      moved = false;
      try {
        for await (const found of gathered(
          this.connection,
          (client) => this.subscription(client, { after, prefixes, patience }),
          { size: batchSize, patience, signal },
        )) {
          after = positionOf(found.at(-1)?.event?.position.commit);
          moved = true;
          yield { events: found.flatMap((each) => eventOf(each, prefix) ?? []), through: after };
        }
        throw new EventLogError(
          { kind: 'unavailable' },
          `EventStoreDB at ${this.connection.hosts} ended the subscription`,
        );
      } catch (error) {
        // The server cuts off a live subscriber that is too slow: read on from the last event. Any
        // other end goes to the processor, which first checks that the log is still the same.
        if (signal.aborted || !isCutOff(error) || !moved)
          throw asEventLogError(error, this.connection.hosts);
      }
    }
  }

  private subscription(
    client: EventStoreDBClient,
    {
      after,
      prefixes,
      patience,
    }: {
      readonly after: Position | undefined;
      readonly prefixes: readonly string[];
      readonly patience: InactivityTimer | undefined;
    },
  ): ClientStream<AllStreamResolvedEvent> {
    // the server sends a checkpoint when it finds nothing for long
    const filter = streamNameFilter({
      prefixes: [...prefixes],
      checkpointInterval: 32,
      checkpointReached: () => patience?.heard(),
    });
    return client.subscribeToAll(
      { fromPosition: after === undefined ? START : placeAt(after), filter },
      readAhead,
    ) as unknown as ClientStream<AllStreamResolvedEvent>;
  }

  private async *read(
    options: ReadAllOptions,
    signal: AbortSignal,
  ): AsyncGenerator<AllStreamResolvedEvent> {
    for await (const batch of this.batches(options, 8, signal)) yield* batch;
  }

  private batches(
    options: ReadAllOptions,
    size: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly AllStreamResolvedEvent[]> {
    const open = (client: EventStoreDBClient) =>
      client.readAll(
        { ...options, requiresLeader: true },
        readAhead,
      ) as unknown as ClientStream<AllStreamResolvedEvent>;
    return gathered(this.connection, open, {
      size,
      patience: new InactivityTimer(this.patienceMs),
      signal,
    });
  }
}
