import { comparePositions, type Position } from '@refledger/contracts';
import { logTimeAfter, type OutOfLogTime } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';

/**
 * Returns log time at a position, for a start without the checkpoint that holds it. It reads the
 * log from its start.
 */
export const logTimeAt = async (
  log: Pick<EventLog, 'readAll'>,
  position: Position,
  excluded: OutOfLogTime,
): Promise<string | null> => {
  let time: string | null = null;
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const event of events) {
      if (comparePositions(event.position, position) > 0) return time;
      time = logTimeAfter(time, event, excluded);
    }
  return time;
};
