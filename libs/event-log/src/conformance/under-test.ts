/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import type { StreamName } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { EventLogError, type EventLogErrorCause } from '../event-log-error.js';
import type { EventLog, LogBatch, LoggedEvent, NewEvent } from '../event-log.js';

/**
 * A log that the suite may write to. It may hold other events already: the suite uses streams of
 * its own and reads from where it started.
 */
export interface EventLogUnderTest {
  /**
   * Opens another handle that writes to this log, as another client would. The suite closes all
   * handles, in reverse order of opening.
   */
  open(): Promise<EventLog>;
  /** Called when all handles are closed. */
  remove(): Promise<void>;
}

/** The handles that a test of the suite works with. */
export interface LogHandles {
  /** The first handle. */
  readonly log: EventLog;
  readonly another: () => Promise<EventLog>;
  /** Closes all handles and opens the log again. */
  readonly reopen: () => Promise<EventLog>;
}

/** Starts a log before each test and closes everything after it. */
export const eachWithLog = (start: () => Promise<EventLogUnderTest>): (() => LogHandles) => {
  let underTest: EventLogUnderTest;
  let open: EventLog[] = [];
  const another = async (): Promise<EventLog> => {
    const log = await underTest.open();
    open.push(log);
    return log;
  };
  const closeAll = async (): Promise<void> => {
    for (const log of open.reverse()) await log.close();
    open = [];
  };
  beforeEach(async () => {
    underTest = await start();
    await another();
  });
  afterEach(async () => {
    await closeAll();
    await underTest.remove();
  });
  return () => ({
    log: present(open[0]),
    another,
    reopen: async () => {
      await closeAll();
      return another();
    },
  });
};

/** The name of a stream that no other test uses. */
export const newStream = (label = 'conformance'): StreamName =>
  `refledger.${label}-${randomUUID()}`;

export const newEvent = (data: unknown = {}, id: string = randomUUID()): NewEvent => ({
  id,
  type: 'conformance.happened',
  data,
  metadata: {
    account_id: null,
    actor: 'conformance',
    request_id: 'r',
    schema: 1,
    recorded_at: '2026-01-31T09:30:00.000Z',
  },
});

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent({ n }));

/** Events that say in their metadata that they belong to one append. */
export const newAppend = (count: number): NewEvent[] =>
  newEvents(count).map((event, index) =>
    index < count - 1
      ? { ...event, metadata: { ...event.metadata, append_continues: true } }
      : event,
  );

/** The fault with which an action fails. */
export const faultOf = async (action: Promise<unknown>): Promise<EventLogErrorCause> => {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EventLogError) return error.fault;
  throw new Error('expected an EventLogError', { cause: error });
};

export const eventsOf = async (
  batches: AsyncIterable<readonly LoggedEvent[]>,
): Promise<LoggedEvent[]> => {
  const events: LoggedEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
};

export const batchesOf = async (batches: AsyncIterable<LogBatch>): Promise<LogBatch[]> => {
  const all: LogBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
};

/**
 * Reads batches until an event satisfies the condition, then ends the subscription through its
 * signal.
 */
export const followUntil = async (
  log: EventLog,
  options: {
    readonly after?: LogBatch['through'] | undefined;
    readonly prefix?: StreamName;
    readonly batchSize?: number;
  },
  isLast: (event: LoggedEvent) => boolean,
): Promise<LogBatch[]> => {
  const ending = new AbortController();
  const batches: LogBatch[] = [];
  for await (const batch of log.subscribe({ ...options, signal: ending.signal })) {
    batches.push(batch);
    if (batch.events.some(isLast)) ending.abort();
  }
  return batches;
};

export const idsOf = (batches: readonly LogBatch[]): string[] =>
  batches.flatMap(({ events }) => events.map(({ id }) => id));

/** Appends `count` events to a new stream; `count` must be a multiple of 1,000. */
export const fill = async (log: EventLog, stream: StreamName, count: number): Promise<void> => {
  const size = 1_000;
  for (let from = 0; from < count; from += size) {
    await log.append(
      stream,
      Array.from({ length: size }, (_, n) => newEvent({ n: from + n })),
      from === 0 ? 'no stream' : from - 1,
    );
  }
};
