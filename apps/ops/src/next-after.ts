import type { Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';

/** The first event after a position; undefined at the end of the log. */
export const nextAfter = async (
  log: EventLog,
  after: Position | undefined,
): Promise<LoggedEvent | undefined> => {
  for await (const { events } of log.readAll({ after, batchSize: 1 })) return events[0];
  return undefined;
};
