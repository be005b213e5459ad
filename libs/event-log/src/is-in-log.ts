import type { Checkpoint } from '@refledger/contracts';
import type { EventLog } from './event-log.js';

/**
 * Whether the log has the checkpoint's event at that position. It doesn't if this is another log, a
 * restored backup or a log that lost its end.
 */
export const isInLog = async (
  log: Pick<EventLog, 'id' | 'eventAt'>,
  { logId, position, eventId }: Checkpoint,
): Promise<boolean> => logId === log.id && (await log.eventAt(position))?.id === eventId;
