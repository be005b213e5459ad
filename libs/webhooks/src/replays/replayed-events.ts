import { matchesKind, type EndpointId } from '@refledger/contracts';
import type { EndpointVersion } from '@refledger/webhook-endpoints';
import type { DeliveryOfEvent, Replay } from '@refledger/delivery-store';
import type { IndexedEvent } from './event-index.js';

/**
 * Whether the endpoint's kinds and the replay's include an event, and it is not about the endpoint.
 */
export const isWanted =
  (
    { types, endpointId }: Pick<Replay, 'types'> & { readonly endpointId: EndpointId },
    { events }: Pick<EndpointVersion, 'events'>,
  ) =>
  ({ type, objectId }: IndexedEvent): boolean =>
    matchesKind(events, type) &&
    (types === null || types.includes(type)) &&
    objectId !== endpointId;

/**
 * Whether a replay sends an event, given the known deliveries of the event to its endpoint. Those
 * that this replay made itself are ignored, so that a repeated step has the same result.
 */
export const shouldSend = (
  { id, only }: Pick<Replay, 'id' | 'only'>,
  known: readonly DeliveryOfEvent[],
): boolean => {
  if (known.some(({ replayId }) => replayId === id) || only === 'all') return true;
  const isMissing = known.every(({ status }) => status === 'failed' || status === 'canceled');
  return isMissing && (only === 'missing' || known.some(({ status }) => status === 'failed'));
};
