import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { streamPrefix, type LogId, type Position, type StreamName } from '@refledger/contracts';
import { toSqliteError, type Database, type ChangeNotifier } from '@refledger/sqlite';
import { CallOutcomes } from '../availability.js';
import { encodeAppend, requireStreamName } from '../encode-append.js';
import { unavailable } from '../event-log-error.js';
import type {
  EventLog,
  LogBatch,
  LoggedEvent,
  ReadAllOptions,
  ReadBackwardsOptions,
  ReadStreamOptions,
  StreamVersions,
  SubscribeOptions,
} from '../event-log.js';
import { abortableSleep } from '../event-processor/backoff.js';
import { wholeAppends } from '../whole-appends.js';
import type { AppendQueue } from './append-queue.js';
import { toLoggedEvent, toLogPosition, type EventRow } from './event-rows.js';
import { asEventLogError } from './failure.js';
import { LogReader } from './log-reader.js';
import { RecentEvents, type DecodedStep } from './recent-events.js';
import type { StreamChanges } from './stream-changes.js';
import type { WriterThread } from './writer-thread.js';

export interface SqliteEventLogParts {
  readonly db: Database;
  readonly notifier: ChangeNotifier;
  /** Undefined when the log is open for reading only. */
  readonly appends: AppendQueue | undefined;
  readonly owned: OwnedWriter | undefined;
}

/** The writer's thread, when this handle started it, and its record of stream changes. */
export interface OwnedWriter {
  readonly writer: WriterThread;
  readonly changes: StreamChanges;
}

const defaultBatchSize = 500;
/**
 * How often to check for new events without a notification. Only writes by other processes send
 * none: a reading process depends on the check, and a writing process needs it only as a safeguard.
 */
const pollMs = { reading: 20, writing: 10_000 };
/**
 * Few writes match a subscription to some of the streams. After a notification, such a subscription
 * therefore waits this long, and then reads all writes made in that time immediately.
 */
const lingerMs = 20;

/**
 * A log in one file. Each handle reads over a connection of its own and writes through the writer's
 * thread.
 */
export class SqliteEventLog implements EventLog {
  readonly id: LogId;
  /** A commit is visible to every connection before its appends are answered. */
  readonly isHeadLatest = true;
  readonly versions: StreamVersions | undefined;
  private readonly reader: LogReader;
  readonly availability = new CallOutcomes(() => this.probe());
  private readonly recent = new RecentEvents((row) => this.decoded(row));
  private closing: Promise<void> | undefined;

  constructor(private readonly parts: SqliteEventLogParts) {
    this.reader = new LogReader(parts.db, parts.owned?.changes);
    this.id = this.reader.logId();
    this.versions = parts.owned?.changes;
  }

  writerPort(): MessagePort {
    return this.writing().connect();
  }

  readonly append: EventLog['append'] = async (stream, events, expected) => {
    const append = encodeAppend(stream, events, expected);
    return this.availability.track('append', this.writing().append(append));
  };

  async *readStream(
    stream: StreamName,
    { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    requireStreamName(stream);
    let end = to;
    for (let next = Math.max(from, 0); next <= end;) {
      const { rows, isLast } = this.read(() =>
        this.reader.ofStream(stream, next, end, defaultBatchSize),
      );
      if (rows.length > 0) yield rows.map(this.decoded);
      if (isLast) return;
      // most streams end with their first batch; a longer one is read up to its end at this time
      if (next === Math.max(from, 0))
        end = Math.min(
          to,
          this.read(() => this.reader.lastRevision(stream)),
        );
      next = (rows.at(-1)?.[2] ?? end) + 1;
      await yieldToEventLoop();
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<LogBatch> {
    const end = this.read(() => this.reader.head());
    yield* wholeAppends(this.batches(options, () => Promise.resolve(end)));
  }

  async *readBackwards({
    prefix = streamPrefix,
    batchSize = defaultBatchSize,
  }: ReadBackwardsOptions = {}): AsyncGenerator<readonly LoggedEvent[]> {
    const scan = this.read(() => this.reader.scan(prefix));
    for (let position = this.read(() => this.reader.head()); position > 0;) {
      const { rows, through } = this.read(() => scan.previous(position, batchSize));
      position = through;
      if (rows.length > 0) yield rows.map(this.decoded);
      await yieldToEventLoop();
    }
  }

  async *subscribe({ signal, ...options }: SubscribeOptions): AsyncGenerator<LogBatch> {
    const isPart = (options.prefix ?? streamPrefix) !== streamPrefix;
    const headBeyond = (after: number): Promise<number> =>
      this.headBeyond(after, { signal, gather: isPart });
    yield* wholeAppends(this.batches(options, headBeyond));
  }

  eventAt(position: Position): Promise<LoggedEvent | undefined> {
    return this.promised(() => {
      const row = this.reader.rowAt(Number(position));
      return row === undefined ? undefined : this.decoded(row);
    });
  }

  head(): Promise<Position | undefined> {
    return this.promised(() => {
      const head = this.reader.head();
      return head === 0 ? undefined : toLogPosition(head);
    });
  }

  /**
   * Commits the accepted appends, and ends subscriptions with `unavailable`. The handle that
   * started the writer ends it for all handles.
   */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    const { db, notifier, appends, owned } = this.parts;
    this.availability.close();
    notifier.close();
    await appends?.close();
    await owned?.writer.close();
    db.close();
  }

  private writing(): AppendQueue {
    if (this.parts.appends === undefined)
      throw unavailable(`${this.parts.db.file}: this event log is open read-only`);
    return this.parts.appends;
  }

  /**
   * Yields batches up to the end that `endAfter` returns; stops when that is not beyond the last
   * batch.
   */
  private async *batches(
    { after, prefix = streamPrefix, batchSize = defaultBatchSize }: ReadAllOptions,
    endAfter: (after: number) => Promise<number>,
  ): AsyncGenerator<LogBatch> {
    const scan = this.read(() => this.reader.scan(prefix));
    const next = (after: number, end: number): DecodedStep => {
      if (prefix === streamPrefix) return this.recent.next(scan, after, end, batchSize);
      const { rows, through } = scan.next(after, end, batchSize);
      return { events: rows.map(this.decoded), through };
    };
    let position = after === undefined ? 0 : Number(after);
    for (let end = await endAfter(position); end > position; end = await endAfter(position)) {
      const { events, through } = this.read(() => next(position, end));
      position = through;
      yield { events, through: toLogPosition(through) };
      // A consumer that never waits must not block the timers and sockets of its thread.
      await yieldToEventLoop();
    }
  }

  /**
   * Resolves with the head once it is beyond `after`, or with `after` when the signal aborts first.
   */
  private async headBeyond(
    after: number,
    { signal, gather }: { readonly signal: AbortSignal; readonly gather: boolean },
  ): Promise<number> {
    const timeoutMs = this.parts.appends === undefined ? pollMs.reading : pollMs.writing;
    while (!signal.aborted) {
      const since = this.parts.notifier.count;
      const head = this.read(() => this.reader.head());
      if (head > after) return head;
      if ((await this.parts.notifier.wait({ since, timeoutMs, signal })) && gather)
        await abortableSleep(lingerMs, signal);
    }
    return after;
  }

  private readonly decoded = (row: EventRow): LoggedEvent => toLoggedEvent(row, this.parts.db.file);

  /** Wraps synchronous reads of SQLite, because the port is asynchronous. */
  private promised<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => resolve(this.read(work)));
  }

  private read<T>(work: () => T): T {
    if (this.closing !== undefined)
      throw unavailable(`${this.parts.db.file}: this event log is closed`);
    try {
      const result = work();
      this.availability.succeeded('read');
      return result;
    } catch (error) {
      const known = asEventLogError(toSqliteError(error, this.parts.db.file));
      this.availability.failed('read', known);
      throw known;
    }
  }

  private async probe(): Promise<void> {
    this.reader.head();
    await this.parts.appends?.probe();
  }
}
