import { streamPrefix, type LogId, type Position, type StreamName } from '@refledger/contracts';
import { encodeAppend, requireStreamName } from '../encode-append.js';
import { EventLogError } from '../event-log-error.js';
import type {
  Appended,
  EventLog,
  Expected,
  LogBatch,
  LoggedEvent,
  NewEvent,
  ReadAllOptions,
  ReadBackwardsOptions,
  ReadStreamOptions,
  SubscribeOptions,
} from '../event-log.js';
import { wrongRevision } from '../wrong-revision.js';
import type { AllReader } from './all-reader.js';
import type { Appender } from './appender.js';
import type { Connection } from './connection.js';
import type { StreamReader } from './stream-reader.js';

const defaultBatchSize = 500;

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
  private closed: Promise<void> | undefined;

  constructor(
    readonly id: LogId,
    private readonly parts: EventStoreDbEventLogParts,
  ) {}

  async append(
    stream: StreamName,
    events: readonly NewEvent[],
    expected: Expected,
  ): Promise<Appended> {
    const append = encodeAppend(stream, events, expected);
    const answer = await this.parts.appender.append(append);
    const outcome = answer.kind === 'unknown' ? await this.parts.streams.outcomeOf(append) : answer;
    if (outcome.kind === 'wrong_revision') throw wrongRevision(stream, expected, outcome.actual);
    return { revision: outcome.revision, position: outcome.position };
  }

  async *readStream(
    stream: StreamName,
    { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    requireStreamName(stream);
    yield* this.open(() =>
      this.parts.streams.read(stream, Math.max(from, 0), to, defaultBatchSize),
    );
  }

  async *readAll({
    after,
    prefix = streamPrefix,
    batchSize = defaultBatchSize,
  }: ReadAllOptions = {}): AsyncGenerator<LogBatch> {
    yield* this.open(() =>
      this.parts.all.toEnd({ after, prefix, batchSize, signal: this.parts.closing.signal }),
    );
  }

  async *readBackwards({
    prefix = streamPrefix,
    batchSize = defaultBatchSize,
  }: ReadBackwardsOptions = {}): AsyncGenerator<readonly LoggedEvent[]> {
    yield* this.open(() =>
      this.parts.all.backwards({ prefix, batchSize, signal: this.parts.closing.signal }),
    );
  }

  async *subscribe({
    after,
    prefix = streamPrefix,
    batchSize = defaultBatchSize,
    signal,
  }: SubscribeOptions): AsyncGenerator<LogBatch> {
    if (signal.aborted) return;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener('abort', end);
    this.parts.closing.signal.addEventListener('abort', end);
    try {
      for await (const batch of this.open(() =>
        this.parts.all.onwards({ after, prefix, batchSize, signal: ending.signal }),
      )) {
        yield batch;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
      this.parts.closing.signal.removeEventListener('abort', end);
    }
  }

  async eventAt(position: Position): Promise<LoggedEvent | undefined> {
    this.requireOpen();
    return this.parts.all.at(position, this.parts.closing.signal);
  }

  async head(): Promise<Position | undefined> {
    this.requireOpen();
    return (await this.parts.all.last(this.parts.closing.signal))?.position;
  }

  /** Waits for the answers to the accepted appends, and ends subscriptions with `unavailable`. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  private async end(): Promise<void> {
    await this.parts.appender.close();
    this.parts.closing.abort();
    this.parts.connection.close();
  }

  private async *open<T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
    this.requireOpen();
    yield* read();
  }

  private requireOpen(): void {
    if (this.closed !== undefined)
      throw new EventLogError(
        { kind: 'unavailable' },
        `${this.parts.connection.hosts}: this event log was closed`,
      );
  }
}
