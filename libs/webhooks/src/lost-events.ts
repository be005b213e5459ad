import { comparePositions, publicEventId, toInstant } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { endOfTime, type Clock } from './clock.js';
import type { DeliveryStore, WaitingDelivery } from './delivery-store.js';

export interface LostEventsOptions {
  readonly log: Pick<EventLog, 'eventAt'>;
  readonly store: Pick<DeliveryStore, 'endpointsWithWork' | 'waiting' | 'cancelWaiting'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Cancels what waits and is of events that the log doesn't have: it would tell of what nobody can read any more. Answers how many. */
export const cancelLost = async ({ log, store, clock }: LostEventsOptions): Promise<number> => {
  let cancelled = 0;
  for (const endpoint of await store.endpointsWithWork(endOfTime)) {
    const lost = await lostOf(log, await store.waiting(endpoint));
    for (let from = 0; from < lost.length; from += step) {
      cancelled += await store.cancelWaiting(lost.slice(from, from + step).map(({ id }) => id), reason, toInstant(clock.now()));
    }
  }
  return cancelled;
};

const reason = 'its event is no longer in the log';
/** So many at once, which others wait for. */
const step = 500;

/** A log that was put back is as it was up to some position, and another after it: halving finds where. */
const lostOf = async (log: LostEventsOptions['log'], waiting: readonly WaitingDelivery[]): Promise<readonly WaitingDelivery[]> => {
  const inOrder = waiting.toSorted((a, b) => comparePositions(a.position, b.position));
  let [held, lost] = [0, inOrder.length];
  while (held < lost) {
    const middle = Math.floor((held + lost) / 2);
    const delivery = inOrder[middle];
    if (delivery !== undefined && (await isHeld(log, delivery))) held = middle + 1;
    else lost = middle;
  }
  return inOrder.slice(lost);
};

const isHeld = async (log: LostEventsOptions['log'], { eventId, position }: WaitingDelivery): Promise<boolean> => {
  const event = await log.eventAt(position);
  return event !== undefined && publicEventId(event.id) === eventId;
};
