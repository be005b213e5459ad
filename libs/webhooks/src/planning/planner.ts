import {
  comparePositions,
  publicEventId,
  type EndpointId,
  type Payload,
  type Position,
} from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';
import {
  type EndpointDirectory,
  decisionOf,
  type DeliveryDecision,
  deliveryBody,
  plannedId,
} from '@refledger/webhook-endpoints';
import type { PlannedDelivery } from '@refledger/delivery-store';

export interface PlanningRules {
  /** Nothing at or below this position is planned again. */
  readonly floor: Position | undefined;
  /** Finds the endpoints that wanted a record at its position, and what became of them since. */
  readonly directory: Pick<EndpointDirectory, 'matching' | 'latest'>;
  /** Whether one more delivery of this endpoint may be sent at once. Called once per delivery. */
  readonly mayStart: (endpoint: EndpointId) => boolean;
}

/**
 * The deliveries of a batch, in its order. Ids are derived from event and endpoint, so that
 * planning a batch twice gives the same deliveries.
 */
export const planDeliveries = (
  records: readonly PublishedRecord[],
  { floor, directory, mayStart }: PlanningRules,
): readonly PlannedDelivery[] =>
  aboveFloor(records, floor).flatMap((record) => {
    const matches = directory.matching({ ...record, objectId: record.record.id });
    if (matches.length === 0) return [];
    const eventId = publicEventId(record.eventId);
    const bodies: Partial<Record<Payload, string>> = {};
    return matches.map(({ endpointId, payload, isHeld }): PlannedDelivery => {
      const of = { trigger: 'event', decidedAt: record.position } as const;
      const decision = decisionOf(of, directory.latest(endpointId));
      const beginning = beginningOf(decision, isHeld, () => mayStart(endpointId));
      const isSent = beginning.status === 'sending' || beginning.status === 'waiting';
      return {
        id: plannedId(record, endpointId),
        accountId: record.accountId,
        endpointId,
        eventId,
        eventType: record.type,
        objectId: record.record.id,
        ...of,
        position: record.position,
        payload,
        body: isSent ? (bodies[payload] ??= deliveryBody(record, payload)) : null,
        ...beginning,
      };
    });
  });

/**
 * How a delivery begins. The endpoint's version at the event decides whether it is held; what is
 * known of later versions may hold or cancel it, too.
 */
const beginningOf = (
  decision: DeliveryDecision,
  isHeld: boolean,
  mayStart: () => boolean,
): Pick<PlannedDelivery, 'status' | 'reason'> => {
  if (decision.to === 'cancel') return { status: 'canceled', reason: decision.reason };
  if (decision.to === 'hold' || isHeld) return { status: 'held', reason: null };
  return { status: mayStart() ? 'sending' : 'waiting', reason: null };
};

/** The records at positions above the floor; all of them when there is no floor. */
export const aboveFloor = (
  records: readonly PublishedRecord[],
  floor: Position | undefined,
): readonly PublishedRecord[] =>
  floor === undefined
    ? records
    : records.filter(({ position }) => comparePositions(position, floor) > 0);
