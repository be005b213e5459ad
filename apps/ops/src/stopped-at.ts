import {
  decodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { projectorName, projections } from '@refledger/projections';

/**
 * Whether a processor cannot get past an event: this release cannot read it, or, for the projector,
 * a build has stopped right before it.
 */
export const isStoppedAt = async (
  processor: string,
  event: LoggedEvent,
  log: EventLog,
  store: ReadStore,
): Promise<boolean> => {
  if (!isReadable(event)) return true;
  return processor === projectorName && (await standsBefore(event, log, store));
};

const isReadable = (event: LoggedEvent): boolean => {
  try {
    decodeEvent(event);
    return true;
  } catch (error) {
    if (error instanceof UnreadableEvent) return false;
    throw error;
  }
};

const standsBefore = async (
  event: LoggedEvent,
  log: EventLog,
  store: ReadStore,
): Promise<boolean> => {
  const builds = (await Promise.all(projections.map(({ name }) => store.builds(name)))).flat();
  for (const { logId, checkpoint } of builds) {
    if (logId === log.id && (await nextAfter(log, checkpoint?.position))?.id === event.id)
      return true;
  }
  return false;
};

const nextAfter = async (
  log: EventLog,
  after: LoggedEvent['position'] | undefined,
): Promise<LoggedEvent | undefined> => {
  for await (const { events } of log.readAll({ after, batchSize: 1 })) return events[0];
  return undefined;
};
