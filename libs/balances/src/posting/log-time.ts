import type { EventMetadata, Position } from '@refledger/contracts';
import { movesLogTime } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { comparePositions } from '@refledger/contracts';

/**
 * How far ahead of the ledger's clock an event may be recorded, in milliseconds. One clock far ahead
 * must not move the entries of every account into another month.
 */
const maxAheadMs = 10 * 60_000;

/**
 * Returns log time after an event: the greatest `recorded_at` so far (RFC 3339 in UTC). An event
 * that an operator skipped does not move it, since its clock may have been wrong.
 */
export const logTimeAfter = (
  before: string | null,
  { id, metadata }: Pick<LoggedEvent, 'id' | 'metadata'>,
  skipped: ReadonlySet<string>,
): string | null =>
  movesLogTime(metadata) && !skipped.has(id) && (before === null || metadata.recorded_at > before)
    ? metadata.recorded_at
    : before;

/**
 * Returns log time at a position, for a start without the checkpoint that holds it. It reads the log
 * from its beginning.
 */
export const logTimeAt = async (
  log: Pick<EventLog, 'readAll'>,
  position: Position,
  skipped: ReadonlySet<string>,
): Promise<string | null> => {
  let time: string | null = null;
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const event of events) {
      if (comparePositions(event.position, position) > 0) return time;
      time = logTimeAfter(time, event, skipped);
    }
  return time;
};

/**
 * When posting may go on past an event (milliseconds since 1970): its clock must not be more than 10
 * minutes behind the time of the event. Undefined if the event does not move log time.
 */
export const postableFrom = (metadata: EventMetadata): number | undefined =>
  movesLogTime(metadata) ? Date.parse(metadata.recorded_at) - maxAheadMs : undefined;
