import type { EventMetadata, LogId, Position, StreamName } from '@refledger/contracts';

/** An event to append. `data` and `metadata` must be JSON. */
export interface NewEvent {
  /** A UUID. The same id at the same place in the same stream is the same event. */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as the log holds it: not yet understood (the codec does that). */
export interface LoggedEvent extends NewEvent {
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
}

/** What an append expects of its stream. There is no 'any': an append that expects nothing cannot be repeated safely. */
export type Expected = 'no stream' | number;

export interface Appended {
  /** Revision of the last event appended. */
  readonly revision: number;
  /** Position of the last event appended; undefined when a repeated append met a stream whose events are gone. */
  readonly position: Position | undefined;
}

export interface ReadStreamOptions {
  /** First revision wanted, default 0. */
  readonly from?: number;
  /** Last revision wanted, default the end. */
  readonly to?: number;
}

export interface ReadAllOptions {
  /** Only events after this position; undefined reads from the beginning. */
  readonly after?: Position | undefined;
  /** Only streams whose name begins so; default all of ours. */
  readonly prefix?: StreamName;
  /** Most events of one batch, default 500. */
  readonly batchSize?: number;
}

export type ReadBackwardsOptions = Omit<ReadAllOptions, 'after'>;

export interface SubscribeOptions extends ReadAllOptions {
  /** Ends the subscription; the iteration then ends without an error. */
  readonly signal: AbortSignal;
}

/** Events in order, and how far the log has been read with them: nothing that matches stands between `events` and `through`. */
export interface LogBatch {
  readonly events: readonly LoggedEvent[];
  readonly through: Position;
}

/** Tells without reading whether a stream has changed. */
export interface StreamVersions {
  /**
   * The version of a stream; undefined when it can't be told just now. If it is asked, then the stream is read and some event found, then reading it
   * again finds the same for as long as the version is the same, whoever appends.
   */
  of(stream: StreamName): bigint | undefined;
}

/**
 * The ordered log of events, the truth of the service. One suite (`@refledger/event-log/conformance`) holds every adapter to this.
 * Errors are `EventLogError`s.
 */
export interface EventLog {
  /** The id of this log (`log.opened`, its first event, which opening it for writing makes). */
  readonly id: LogId;

  /** A capability: there where all appends go by way of this process, so that it can know of each. */
  readonly versions?: StreamVersions | undefined;

  /**
   * A capability: `head` is never before a position that anybody was told of. A node of a cluster that
   * was held still can't promise that.
   */
  readonly isHeadLatest?: boolean;

  /**
   * Appends one or more events to one stream: all or none. Resolves once they are durable.
   * The same events with the same expectation again answer as the first time.
   * Fails with `wrong_revision` (naming the actual one), `too_large` (over 1 MiB in all), `unavailable` (not written)
   * or `unknown_outcome` (repeat the identical append to learn it).
   */
  append(stream: StreamName, events: readonly NewEvent[], expected: Expected): Promise<Appended>;

  /** The events of a stream in order, in batches; none when there is no such stream. */
  readStream(
    stream: StreamName,
    options?: ReadStreamOptions,
  ): AsyncIterable<readonly LoggedEvent[]>;

  /** Events of all matching streams in the log's order, up to the end as of now. Batches may be empty of events. */
  readAll(options?: ReadAllOptions): AsyncIterable<LogBatch>;

  /** Events of all matching streams from the end as of now back to the beginning, the last first; no batch is empty. */
  readBackwards(options?: ReadBackwardsOptions): AsyncIterable<readonly LoggedEvent[]>;

  /** As `readAll`, but goes on with events as they are appended. Nothing is read ahead of what is asked for. */
  subscribe(options: SubscribeOptions): AsyncIterable<LogBatch>;

  /** The event at exactly this position; undefined when there is none. */
  eventAt(position: Position): Promise<LoggedEvent | undefined>;

  /** Position of the last event of ours; undefined in a log without any. */
  head(): Promise<Position | undefined>;

  close(): Promise<void>;
}
