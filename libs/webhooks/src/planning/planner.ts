import {
  comparePositions,
  datedId,
  publicEventId,
  type EndpointId,
  type Payload,
  type Position,
} from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { deliveryBody } from '../sending/delivery-body.js';
import type { PlannedDelivery } from '../stores/delivery-store.js';

export interface PlanningRules {
  /** Nothing at or below this position is planned again. */
  readonly floor: Position | undefined;
  /** Finds the endpoints that wanted a record at its position. */
  readonly directory: Pick<EndpointDirectory, 'matching'>;
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
    const matches = directory.matching(record);
    if (matches.length === 0) return [];
    const eventId = publicEventId(record.eventId);
    const bodies: Partial<Record<Payload, string>> = {};
    const recordedAt = Date.parse(record.timestamp);
    return matches.map(({ endpointId, payload }): PlannedDelivery => ({
      id: datedId('delivery', recordedAt, eventId, endpointId),
      accountId: record.accountId,
      endpointId,
      eventId,
      eventType: record.type,
      objectId: record.record.id,
      trigger: 'event',
      position: record.position,
      decidedAt: record.position,
      body: (bodies[payload] ??= deliveryBody(record, payload)),
      status: mayStart(endpointId) ? 'sending' : 'waiting',
    }));
  });

/** The records at positions above the floor; all of them when there is no floor. */
export const aboveFloor = (
  records: readonly PublishedRecord[],
  floor: Position | undefined,
): readonly PublishedRecord[] =>
  floor === undefined
    ? records
    : records.filter(({ position }) => comparePositions(position, floor) > 0);
