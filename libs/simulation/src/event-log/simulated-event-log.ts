import { streamPrefix, type LogId, type Position, type StreamName } from '@refledger/contracts';
import type {
  EventLog,
  LogBatch,
  LoggedEvent,
  ReadAllOptions,
  ReadStreamOptions,
  SubscribeOptions,
} from '@refledger/event-log';
import {
  encodeAppend,
  requireStreamName,
  unavailable,
  wholeAppends,
} from '@refledger/event-log/adapter';
import type { Clock } from '../clock.js';
import { toLogPosition, type CommittedEvents } from './committed-events.js';

/** The optional capabilities of the port that the log offers. */
export interface LogCapabilities {
  readonly versions: boolean;
  readonly isHeadLatest: boolean;
}

const defaultBatchSize = 500;

/**
 * An event log in memory that never fails and loses nothing. Each instance is a handle to the
 * committed events that it shares with others.
 */
export class SimulatedEventLog implements EventLog {
  readonly id: LogId;
  readonly isHeadLatest: boolean;
  readonly versions: EventLog['versions'];
  private isClosed = false;

  constructor(
    private readonly committed: CommittedEvents,
    private readonly clock: Pick<Clock, 'turn'>,
    { versions, isHeadLatest }: LogCapabilities,
  ) {
    this.id = committed.logId;
    this.isHeadLatest = isHeadLatest;
    this.versions = versions
      ? { versionOf: (stream) => BigInt(committed.stream(stream).length) }
      : undefined;
  }

  /** Commits in a later turn, so that appends of several writers meet. */
  readonly append: EventLog['append'] = async (stream, events, expected) => {
    const committed = this.requireOpen();
    const append = encodeAppend(stream, events, expected);
    await this.clock.turn();
    return committed.append(append);
  };

  async *readStream(
    stream: StreamName,
    { from = 0, to = Infinity }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    requireStreamName(stream);
    const events = await this.whenOpen((committed) =>
      committed.stream(stream).slice(Math.max(from, 0), to + 1),
    );
    for (let next = 0; next < events.length; next += defaultBatchSize) {
      yield events.slice(next, next + defaultBatchSize);
      await this.clock.turn();
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<LogBatch> {
    const end = await this.whenOpen(({ count }) => count);
    yield* wholeAppends(this.batches(options, () => Promise.resolve(end)));
  }

  async *readBackwards({
    prefix = streamPrefix,
    batchSize: limit = defaultBatchSize,
  }: Omit<ReadAllOptions, 'after'> = {}): AsyncGenerator<readonly LoggedEvent[]> {
    for (let before = 1 + (await this.whenOpen(({ count }) => count)); before > 1;) {
      const { events, through } = await this.whenOpen((committed) =>
        committed.backwards(before, { prefix, limit }),
      );
      before = through;
      if (events.length > 0) yield events;
      await this.clock.turn();
    }
  }

  async *subscribe({ signal, ...options }: SubscribeOptions): AsyncGenerator<LogBatch> {
    yield* wholeAppends(this.batches(options, (after) => this.countBeyond(after, signal)));
  }

  eventAt(position: Position): Promise<LoggedEvent | undefined> {
    return this.whenOpen((committed) => committed.eventAt(Number(position)));
  }

  head(): Promise<Position> {
    return this.whenOpen(({ count }) => toLogPosition(count));
  }

  /** Ends this handle's subscriptions with `unavailable`. */
  close(): Promise<void> {
    this.isClosed = true;
    this.committed.changes.notify();
    return Promise.resolve();
  }

  /**
   * Yields batches up to the end that `endAfter` returns, until that is not beyond the last one.
   */
  private async *batches(
    { after, prefix = streamPrefix, batchSize: limit = defaultBatchSize }: ReadAllOptions,
    endAfter: (after: number) => Promise<number>,
  ): AsyncGenerator<LogBatch> {
    let position = Number(after ?? 0);
    for (let end = await endAfter(position); end > position; end = await endAfter(position)) {
      const { events, through } = await this.whenOpen((committed) =>
        committed.forwards(position, end, { prefix, limit }),
      );
      position = through;
      yield { events, through: toLogPosition(through) };
      // a consumer that never waits for anything else must let others go on
      await this.clock.turn();
    }
  }

  /** Resolves with the count of events once it is beyond `after`, or with `after` on abort. */
  private async countBeyond(after: number, signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      const { count, changes } = this.requireOpen();
      if (count > after) return count;
      await changes.next(signal);
    }
    return after;
  }

  private whenOpen<T>(work: (committed: CommittedEvents) => T): Promise<T> {
    return new Promise((resolve) => resolve(work(this.requireOpen())));
  }

  private requireOpen(): CommittedEvents {
    if (this.isClosed) throw unavailable('this event log is closed');
    return this.committed;
  }
}
