import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { streams, toInstant, type LogId } from '@refledger/contracts';
import { unusable } from '../event-log-error.js';
import { logIdOf, opening } from '../opening.js';
import { AllReader } from './reading/all-reader.js';
import { Appender } from './appending/appender.js';
import { asStartError } from './client-errors.js';
import { Connection } from './connection.js';
import { EventStoreDbEventLog, type EventStoreDbEventLogParts } from './eventstoredb-event-log.js';
import { StreamReader } from './reading/stream-reader.js';

export interface EventStoreDbEventLogOptions {
  /** A connection string of EventStoreDB or KurrentDB, including the user and the certificates. */
  readonly url: string;
  /** How long to wait for one response from the server, default 10,000. */
  readonly deadlineMs?: number;
}

/**
 * Opens the log on a server or cluster, and appends its first event when there is none. When
 * several processes do so at the same time, one is first and all get its id. Throws an
 * `EventLogError` that names the server: `unavailable` when it can't be reached now (try again),
 * `unusable` when waiting does not help: a wrong user, password, certificate or connection string,
 * or a log whose start is gone.
 */
export const openEventStoreDbEventLog = async ({
  url,
  deadlineMs = 10_000,
}: EventStoreDbEventLogOptions): Promise<EventStoreDbEventLog> => {
  const connection = new Connection(url, deadlineMs);
  const closing = new AbortController();
  // each read listens to the signal while it runs
  setMaxListeners(0, closing.signal);
  const parts: EventStoreDbEventLogParts = {
    connection,
    appender: new Appender(connection, deadlineMs),
    streams: new StreamReader(connection, deadlineMs, closing.signal),
    all: new AllReader(connection, deadlineMs),
    closing,
  };
  try {
    return new EventStoreDbEventLog(await logId(parts), parts);
  } catch (error) {
    await parts.appender.close();
    connection.close();
    throw asStartError(error, connection.hosts);
  }
};

const logId = async (parts: EventStoreDbEventLogParts): Promise<LogId> => {
  const there = await firstId(parts);
  if (there !== undefined) return there;
  const opened = {
    logId: randomUUID(),
    eventId: randomUUID(),
    recordedAt: toInstant(Date.now()),
  };
  const response = await parts.appender.append(opening(opened));
  if (response.kind === 'appended' && response.revision === 0) return opened.logId;
  // another process was faster; or the stream was deleted, and this append did not write its first
  // event
  const first = await firstId(parts);
  if (first === undefined)
    throw unusable(
      `EventStoreDB at ${parts.connection.hosts} no longer has the first event of this log (${streams.log}): it was deleted`,
    );
  return first;
};

const firstId = async ({
  streams: reader,
  connection,
}: EventStoreDbEventLogParts): Promise<LogId | undefined> => {
  for await (const [first] of reader.read(streams.log, 0, 0, 1)) {
    if (first !== undefined) return logIdOf(first, `EventStoreDB at ${connection.hosts}`);
  }
  return undefined;
};
