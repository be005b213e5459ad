import {
  isEventOf,
  type BalanceId,
  type CarriedState,
  type ClaimedAppend,
} from '@refledger/contracts';
import { decodeEvent, type EventLog } from '@refledger/event-log';
import { chapterStream } from '../balance-streams.js';

/** Where a reservation is. */
type Reservation = CarriedState['in_flight'][string];

/** Reads the append that a reservation holds. */
export const heldAppend = async (
  log: Pick<EventLog, 'readStream'>,
  balance: BalanceId,
  { chapter, revision }: Reservation,
): Promise<ClaimedAppend> => {
  const stream = chapterStream(balance, chapter);
  for await (const events of log.readStream(stream, { from: revision, to: revision }))
    for (const logged of events) {
      const event = decodeEvent(logged);
      if (isEventOf('balance', event) && event.type === 'balance.reserved')
        return event.data.append;
    }
  throw new Error(`revision ${revision} of ${stream} is not a reservation`);
};
