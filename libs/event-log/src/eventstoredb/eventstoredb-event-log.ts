import { streamPrefix, type LogId, type Position, type StreamName } from '@refledger/contracts';
import { reportAppended } from '../appended.js';
import { CallOutcomes } from '../availability.js';
import { encodeAppend, requireStreamName, type EncodedAppend } from '../encode-append.js';
import { unavailable, wrongRevision } from '../event-log-error.js';
import type {
  EventLog,
  LogBatch,
  LoggedEvent,
  ReadAllOptions,
  ReadBackwardsOptions,
  ReadStreamOptions,
  SubscribeOptions,
} from '../event-log.js';
import { wholeAppends } from '../whole-appends.js';
import type { AllReader } from './reading/all-reader.js';
import type { Appender } from './appending/appender.js';
import type { Connection } from './connection.js';
import type { StreamReader } from './reading/stream-reader.js';

const defaultBatchSize = 500;
const wholeLog = { after: undefined, prefix: streamPrefix, batchSize: defaultBatchSize };

export interface EventStoreDbEventLogParts {
  readonly connection: Connection;
  readonly appender: Appender;
  readonly streams: StreamReader;
  readonly all: AllReader;
  /** The log's own controller; aborting it ends every read. */
  readonly closing: AbortController;
}

/**
 * A log in EventStoreDB: the streams with Refledger's prefix, among whatever else the server holds.
 * Other processes append to it too, so it has no `versions`.
 */
export class EventStoreDbEventLog implements EventLog {
  readonly availability: CallOutcomes;
  private closed: Promise<void> | undefined;

  constructor(
    readonly id: LogId,
    private readonly parts: EventStoreDbEventLogParts,
  ) {
    this.availability = new CallOutcomes(() => parts.connection.proveLeader());
  }

  readonly append: EventLog['append'] = async (stream, events, expected) => {
    const append = encodeAppend(stream, events, expected);
    const outcome = await this.availability.track('append', this.outcomeOf(append));
    if (outcome.kind === 'wrong_revision') throw wrongRevision(stream, expected, outcome.actual);
    reportAppended(events.length);
    return { revision: outcome.revision, position: outcome.position };
  };

  async *readStream(
    stream: StreamName,
    { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    requireStreamName(stream);
    yield* this.open(() =>
      this.parts.streams.read(stream, Math.max(from, 0), to, defaultBatchSize),
    );
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<LogBatch> {
    const { signal } = this.parts.closing;
    yield* this.open(() => wholeAppends(this.parts.all.toEnd({ ...wholeLog, ...options, signal })));
  }

  async *readBackwards(options: ReadBackwardsOptions = {}): AsyncGenerator<readonly LoggedEvent[]> {
    const { signal } = this.parts.closing;
    yield* this.open(() => this.parts.all.backwards({ ...wholeLog, ...options, signal }));
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<LogBatch> {
    const { signal } = options;
    if (signal.aborted) return;
    const either = AbortSignal.any([signal, this.parts.closing.signal]);
    try {
      for await (const batch of this.open(
        () => wholeAppends(this.parts.all.onwards({ ...wholeLog, ...options, signal: either })),
        signal,
      )) {
        yield batch;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async eventAt(position: Position): Promise<LoggedEvent | undefined> {
    this.requireOpen();
    const { all, closing } = this.parts;
    return this.availability.track('read', all.eventAt(position, closing.signal));
  }

  async head(): Promise<Position | undefined> {
    this.requireOpen();
    const { all, closing } = this.parts;
    return (await this.availability.track('read', all.last(closing.signal)))?.position;
  }

  /** Waits for the responses to the accepted appends, and ends subscriptions with `unavailable`. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  private async outcomeOf(append: EncodedAppend) {
    const { appender, streams } = this.parts;
    const response = await appender.append(append);
    return response.kind === 'unknown' ? streams.outcomeOf(append) : response;
  }

  private async end(): Promise<void> {
    this.availability.close();
    await this.parts.appender.close();
    this.parts.closing.abort();
    this.parts.connection.close();
  }

  /** Opens a read. Once `signal` aborts, its error says nothing about the log. */
  private async *open<T>(read: () => AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
    this.requireOpen();
    try {
      for await (const each of read()) {
        this.availability.succeeded('read');
        yield each;
      }
    } catch (error) {
      if (signal?.aborted !== true) this.availability.failed('read', error);
      throw error;
    }
    this.availability.succeeded('read');
  }

  private requireOpen(): void {
    if (this.closed !== undefined)
      throw unavailable(`${this.parts.connection.hosts}: this event log is closed`);
  }
}
