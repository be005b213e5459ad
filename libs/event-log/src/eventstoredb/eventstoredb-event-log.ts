import { streamPrefix, type LogId, type Position, type StreamName } from '@refledger/contracts';
import { reportAppended } from '../appended.js';
import { encodeAppend, requireStreamName } from '../encode-append.js';
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
  private closed: Promise<void> | undefined;

  constructor(
    readonly id: LogId,
    private readonly parts: EventStoreDbEventLogParts,
  ) {}

  readonly append: EventLog['append'] = async (stream, events, expected) => {
    const append = encodeAppend(stream, events, expected);
    const response = await this.parts.appender.append(append);
    const outcome =
      response.kind === 'unknown' ? await this.parts.streams.outcomeOf(append) : response;
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
      for await (const batch of this.open(() =>
        wholeAppends(this.parts.all.onwards({ ...wholeLog, ...options, signal: either })),
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
    return this.parts.all.at(position, this.parts.closing.signal);
  }

  async head(): Promise<Position | undefined> {
    this.requireOpen();
    return (await this.parts.all.last(this.parts.closing.signal))?.position;
  }

  /** Waits for the responses to the accepted appends, and ends subscriptions with `unavailable`. */
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
      throw unavailable(`${this.parts.connection.hosts}: this event log is closed`);
  }
}
