import { comparePositions, publicEventId, toInstant, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { endOfTime, type Clock } from './clock.js';
import type { DeliveryStore, UnfinishedDelivery } from './delivery-store.js';

export interface LostEventsOptions {
  readonly log: Pick<EventLog, 'eventAt' | 'readAll'>;
  readonly store: Pick<DeliveryStore, 'endpointsWithWork' | 'unfinished' | 'cancelUnfinished'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Cancels what waits, or is held by whatever dispatcher, and is of events that the log doesn't have: it would tell of what nobody can read any more. Answers how many. */
export const cancelLost = async ({ log, store, clock }: LostEventsOptions): Promise<number> => {
  let cancelled = 0;
  for (const endpoint of await store.endpointsWithWork(endOfTime)) {
    const lost = await lostOf(log, await store.unfinished(endpoint));
    for (let from = 0; from < lost.length; from += step) {
      cancelled += await store.cancelUnfinished(
        lost.slice(from, from + step).map(({ id }) => id),
        reason,
        toInstant(clock.now()),
      );
    }
  }
  return cancelled;
};

const reason = 'its event is no longer in the log';
/** So many at once, which others wait for. */
const step = 500;

/** A log that was put back is as it was up to some position, and another after it: halving finds where. */
const lostOf = async (
  log: LostEventsOptions['log'],
  waiting: readonly UnfinishedDelivery[],
): Promise<readonly UnfinishedDelivery[]> => {
  const inOrder = waiting.toSorted((a, b) => comparePositions(a.position, b.position));
  let [held, lost] = [0, inOrder.length];
  while (held < lost) {
    const middle = Math.floor((held + lost) / 2);
    const delivery = inOrder[middle];
    if (delivery !== undefined && (await isHeld(log, delivery))) held = middle + 1;
    else lost = middle;
  }
  const first = inOrder[lost];
  if (first !== undefined && (await isFound(log, inOrder[lost - 1]?.position, first)))
    throw new Error(
      `the log has event ${first.eventId}, which a look at its position did not find`,
    );
  return inOrder.slice(lost);
};

/** Whether who reads on from a place that the log has comes to this event. A server that can't answer now is an error here, where a look at one position may pass it for none: what is cancelled does not come back. */
const isFound = async (
  log: LostEventsOptions['log'],
  after: Position | undefined,
  { eventId, position }: UnfinishedDelivery,
): Promise<boolean> => {
  for await (const { events, through } of log.readAll({ after })) {
    if (events.some(({ id }) => publicEventId(id) === eventId)) return true;
    if (comparePositions(through, position) >= 0) return false;
  }
  return false;
};

const isHeld = async (
  log: LostEventsOptions['log'],
  { eventId, position }: UnfinishedDelivery,
): Promise<boolean> => {
  const event = await log.eventAt(position);
  return event !== undefined && publicEventId(event.id) === eventId;
};
