import { datedId, publicEventId, type DeliveryId, type EndpointId } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';

/** The id of the delivery of an event that was recorded at this instant (RFC 3339). */
export const plannedId = (
  { eventId, timestamp }: Pick<PublishedRecord, 'eventId' | 'timestamp'>,
  endpoint: EndpointId,
): DeliveryId => datedId('delivery', Date.parse(timestamp), publicEventId(eventId), endpoint);
