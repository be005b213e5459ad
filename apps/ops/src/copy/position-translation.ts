import type { Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { UsageError } from '../exit-codes.js';

/** Finds the target's event for a position in the source. */
export type Translate = (position: Position) => Promise<LoggedEvent>;

/**
 * The maximum number of translations that are remembered. One event has a delivery for each
 * endpoint, so the same positions recur.
 */
const maxTranslations = 20_000;

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
        `deliveries.db names position ${position}, where the source's log has no event. Start the service on the source once, and decide with ops resume as it instructs.`,
      );
    const copied = await sameEvent(target, original);
    if (copied === undefined)
      throw new UsageError(
        `${original.type} at position ${position} of the source is not on the target, where something was removed. Copy into an empty target.`,
      );
    return copied;
  };
  return (position) => {
    const found = known.get(position) ?? find(position);
    if (known.size >= maxTranslations) known.clear();
    known.set(position, found);
    return found;
  };
};

/**
 * The same event in another log: same id, at the same revision of the same stream. Undefined when
 * it does not exist.
 */
export const sameEvent = async (
  log: Pick<EventLog, 'readStream'>,
  { id, stream, revision }: Pick<LoggedEvent, 'id' | 'stream' | 'revision'>,
): Promise<LoggedEvent | undefined> => {
  for await (const [event] of log.readStream(stream, { from: revision, to: revision }))
    return event?.id === id ? event : undefined;
  return undefined;
};
