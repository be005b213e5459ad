import { comparePositions, type Position } from '@refledger/contracts';
import { isDiscounted, logTimeAfter, movesLogTime, type OutOfLogTime } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';

/**
 * How far ahead of the ledger's clock an event may be recorded, in milliseconds. One clock far
 * ahead must not move the entries of every account into another month.
 */
const maxAheadMs = 10 * 60_000;

/**
 * Returns log time at a position, for a start without the checkpoint that holds it. It reads the
 * log from its beginning.
 */
export const logTimeAt = async (
  log: Pick<EventLog, 'readAll'>,
  position: Position,
  out: OutOfLogTime,
): Promise<string | null> => {
  let time: string | null = null;
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const event of events) {
      if (comparePositions(event.position, position) > 0) return time;
      time = logTimeAfter(time, event, out);
    }
  return time;
};

/**
 * When posting may go on past an event (milliseconds since 1970): the ledger's clock must not be
 * more than 10 minutes behind the time of the event. Undefined if the event does not move log time.
 */
export const postableFrom = (
  event: Pick<LoggedEvent, 'id' | 'position' | 'metadata'>,
  { skipped, discounts }: OutOfLogTime,
): number | undefined =>
  movesLogTime(event.metadata) && !skipped.has(event.id) && !isDiscounted(event, discounts)
    ? Date.parse(event.metadata.recorded_at) - maxAheadMs
    : undefined;
