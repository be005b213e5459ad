import type { MessagePort } from 'node:worker_threads';
import type { EventMetadata, LogId, Position, StreamName } from '@refledger/contracts';

/** An event to append. `data` and `metadata` must be JSON. */
export interface NewEvent {
  /** A UUID. The same id at the same revision of the same stream means the same event. */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as the log stores it. The codec decodes it. */
export interface LoggedEvent extends NewEvent {
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
}

/**
 * The revision that an append expects its stream to have. There is no 'any': an append without an
 * expectation can't be repeated safely.
 */
export type ExpectedRevision = 'no stream' | number;

/** Where an append ended. */
export interface AppendResult {
  /** Revision of the last event appended. */
  readonly revision: number;
  /**
   * Position of the last event appended; undefined when an append was repeated on a stream whose
   * events no longer exist.
   */
  readonly position: Position | undefined;
}

export interface ReadStreamOptions {
  /** First revision to read, default 0. */
  readonly from?: number;
  /** Last revision to read, default the stream's last. */
  readonly to?: number;
}

/** Which events of the whole log to read. */
export interface ReadAllOptions {
  /** Only events after this position; undefined reads from the start. */
  readonly after?: Position | undefined;
  /** Only streams whose names start with this; default all of Refledger's streams. */
  readonly prefix?: StreamName;
  /** Maximum number of events per batch, not counting the rest of an append; default 500. */
  readonly batchSize?: number;
}

export type ReadBackwardsOptions = Omit<ReadAllOptions, 'after'>;

/** Which events to follow, and until when. */
export interface SubscribeOptions extends ReadAllOptions {
  /** Aborting it ends the subscription, and the iteration then ends without an error. */
  readonly signal: AbortSignal;
}

/**
 * Events in order, and how far the log has been read: no other matching event lies between the
 * previous batch and `through`. A batch never ends within an append (`append_continues` in an
 * event's metadata), so that no one sees the state between its events.
 */
export interface LogBatch {
  readonly events: readonly LoggedEvent[];
  readonly through: Position;
}

/** Detects changes to a stream without reading it. */
export interface StreamVersions {
  /**
   * The version of a stream; undefined while it is unknown. After a caller has asked for the
   * version and then read at least one event of the stream, reading it again gives the same result
   * for as long as the version is the same, no matter which client appends.
   */
  versionOf(stream: StreamName): bigint | undefined;
}

/** The availability of a log, from the outcomes of the last calls. */
export interface LogAvailability {
  /** Why the last append, the last read or the last probe failed; undefined if none of them did. */
  readonly failure: string | undefined;
  /**
   * Aborts when the log can be used again after a failure; a new signal then waits for the next
   * time. Callers that wait after a failed call try again at that moment.
   */
  readonly recovery: AbortSignal;
}

/**
 * The ordered log of events, the source of truth of the service. The test suite
 * `@refledger/event-log/conformance` checks every adapter against this port. Errors are
 * `EventLogError`s.
 */
export interface EventLog {
  /**
   * The id of this log. It is in `log.opened`, the log's first event, which is appended when the
   * log is first opened for writing.
   */
  readonly id: LogId;

  /**
   * Optional capability: present where all appends go through this process, so that it notices each
   * one.
   */
  readonly versions?: StreamVersions | undefined;

  /**
   * Optional capability: `head` is never before a position that any caller has already seen. A
   * cluster node that was suspended can't guarantee that.
   */
  readonly isHeadLatest?: boolean;

  /** Optional capability: what the outcomes of the last calls say about the log. */
  readonly availability?: LogAvailability;

  /**
   * Optional capability: a port to the thread that writes this log. Transfer it to another thread
   * of this process, which opens the log with it.
   */
  writerPort?(): MessagePort;

  /**
   * Appends one or more events to one stream: all or none. Resolves once they are durable.
   * Repeating the same events with the same expectation gives the same result as the first time.
   * Throws `wrong_revision` (which names the actual revision), `too_large` (more than 1 MiB in
   * total), `unavailable` (nothing was written) or `unknown_outcome` (repeat the identical append
   * to find out).
   */
  append(
    stream: StreamName,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult>;

  /** The events of a stream in order, in batches; no batches when there is no such stream. */
  readStream(
    stream: StreamName,
    options?: ReadStreamOptions,
  ): AsyncIterable<readonly LoggedEvent[]>;

  /**
   * Events of all matching streams in log order, up to the log's end at the time of the call. A
   * batch may have no events.
   */
  readAll(options?: ReadAllOptions): AsyncIterable<LogBatch>;

  /**
   * Events of all matching streams from the log's end at the time of the call back to the
   * start, the last one first. No batch is empty.
   */
  readBackwards(options?: ReadBackwardsOptions): AsyncIterable<readonly LoggedEvent[]>;

  /**
   * Like `readAll`, but continues with events as they are appended. Reads nothing ahead of the
   * consumer.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<LogBatch>;

  /** The event at exactly this position; undefined when there is none. */
  eventAt(position: Position): Promise<LoggedEvent | undefined>;

  /** Position of the last of Refledger's events; undefined when the log has none. */
  head(): Promise<Position | undefined>;

  close(): Promise<void>;
}
