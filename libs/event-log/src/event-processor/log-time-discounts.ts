import { isStreamName, streams, type Recorded } from '@refledger/contracts';
import { postingName, type LogTimeDiscount } from '@refledger/domain';
import { decodeEvent } from '../codec.js';
import type { EventLog, LoggedEvent } from '../event-log.js';

/**
 * Reads what operators have taken out of log time, in the order of their decisions. The decisions
 * are in posting's stream, which is short.
 */
export const readLogTimeDiscounts = async (
  log: Pick<EventLog, 'readStream'>,
): Promise<readonly LogTimeDiscount[]> => {
  const discounts: LogTimeDiscount[] = [];
  for await (const events of log.readStream(streams.processor(postingName)))
    for (const event of events)
      if (event.type === 'log_time.discounted') discounts.push(await discountOf(log, event));
  return discounts;
};

const discountOf = async (
  log: Pick<EventLog, 'readStream'>,
  logged: LoggedEvent,
): Promise<LogTimeDiscount> => {
  const decision: Recorded = decodeEvent(logged);
  if (decision.type !== 'log_time.discounted')
    throw new TypeError(`${decision.type} does not discount time`);
  const { event_id, stream, revision, recorded_at: recordedAt } = decision.data;
  const { position: through, metadata } = decision;
  // in a copied log, the event is at a different position from the one in the decision
  const place = { from: revision, to: revision };
  if (isStreamName(stream))
    for await (const [event] of log.readStream(stream, place))
      if (event?.id === event_id)
        return { from: event.position, through, recordedAt, decidedAt: metadata.recorded_at };
  throw new Error(
    `the event log has lost event ${event_id} of ${stream}, whose time was discounted at position ${through}`,
  );
};
