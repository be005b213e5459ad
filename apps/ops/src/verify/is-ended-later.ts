import { comparePositions, isId, streams, type Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';

/**
 * Whether the log ends an affiliate, and only after `through`. Its key may be destroyed already: then
 * a document that needs the key cannot be folded, although the stored one may remain until the
 * projector gets there.
 */
export const isEndedLater = async (
  log: Pick<EventLog, 'readStream'>,
  id: string,
  through: Position | undefined,
): Promise<boolean> => {
  if (!isId('affiliate', id)) return false;
  for await (const events of log.readStream(streams.affiliate(id))) {
    const end = events.find(isEnd);
    if (end !== undefined)
      return through === undefined || comparePositions(end.position, through) > 0;
  }
  return false;
};

const isEnd = ({ type }: LoggedEvent): boolean =>
  type === 'affiliate.deleted' || type === 'affiliate.erased';
