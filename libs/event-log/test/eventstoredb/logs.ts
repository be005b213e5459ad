import { scaledTimeout } from '@refledger/testing';
import {
  startEventStoreDbCluster,
  startEventStoreDbDouble,
  type DoubleCluster,
  type DoubleServer,
} from '@refledger/testing/eventstoredb';
import type { EventLog } from '../../src/event-log.js';
import type { EventLogError } from '../../src/event-log-error.js';
import { openEventStoreDbEventLog } from '../../src/eventstoredb/index.js';

/** Closed after the current test, the last one first. */
export const closing: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

/** Opens a log with a short deadline, so that a server that does not respond is noticed soon. */
export const open = async (url: string, deadlineMs = scaledTimeout(2_000)): Promise<EventLog> => {
  const log = await openEventStoreDbEventLog({ url, deadlineMs });
  closing.push(log);
  return log;
};

/** The error with which the log refuses to open. */
export const refusal = (url: string): Promise<EventLogError> =>
  open(url).then(
    () => Promise.reject(new Error('it opened')),
    (error: unknown) => error as EventLogError,
  );

export const startDouble = async (
  options: Parameters<typeof startEventStoreDbDouble>[0] = {},
): Promise<DoubleServer> => {
  const double = await startEventStoreDbDouble(options);
  closing.push({ close: () => double.stop() });
  return double;
};

export const startCluster = async (): Promise<DoubleCluster> => {
  const cluster = await startEventStoreDbCluster();
  closing.push({ close: () => cluster.stop() });
  return cluster;
};
