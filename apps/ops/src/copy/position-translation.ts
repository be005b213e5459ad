import type { Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { UsageError } from '../exit-codes.js';
import { sameEvent } from './same-event.js';

/** Finds the target's event for a position in the source. */
export type Translate = (position: Position) => Promise<LoggedEvent>;

/**
 * The most translations that are remembered. One event has a delivery for each endpoint, so the
 * same positions recur.
 */
const most = 20_000;

/**
 * Translates a position in the source into the same event in the target. Throws `UsageError` when
 * either log does not have it.
 */
export const positionTranslation = (
  source: Pick<EventLog, 'eventAt'>,
  target: Pick<EventLog, 'readStream'>,
): Translate => {
  const known = new Map<Position, Promise<LoggedEvent>>();
  const find = async (position: Position): Promise<LoggedEvent> => {
    const original = await source.eventAt(position);
    if (original === undefined)
      throw new UsageError(
        `deliveries.db names position ${position}, where the log of the source has no event: start the service there once, and decide with ops resume what it asks`,
      );
    const copied = await sameEvent(target, original);
    if (copied === undefined)
      throw new UsageError(
        `${original.type} at position ${position} of the source is not on the target: something was removed from it; copy into one that is empty`,
      );
    return copied;
  };
  return (position) => {
    const found = known.get(position) ?? find(position);
    if (known.size >= most) known.clear();
    known.set(position, found);
    return found;
  };
};
