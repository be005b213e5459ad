import { publicEventId, type EventEnvelope, type Payload } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';

/**
 * The body of a delivery: the same bytes for every attempt, and for every endpoint with this
 * payload.
 */
export const deliveryBody = (
  { eventId, type, timestamp, accountId, position, record }: PublishedRecord,
  payload: Payload,
): string => {
  const envelope = {
    id: publicEventId(eventId),
    type,
    timestamp,
    account_id: accountId,
    position,
    data: payload === 'full' ? record : thin(record),
  };
  return JSON.stringify(envelope satisfies Record<keyof EventEnvelope, unknown>);
};

const thin = ({ id, object, revision }: PublishedRecord['record']) => ({ id, object, revision });

/** The revision of the record in a body; undefined if the record has none. */
export const revisionIn = (body: string): number | undefined => {
  // decoding boundary: `deliveryBody` made the body
  const { data } = JSON.parse(body) as { readonly data?: { readonly revision?: number } };
  return data?.revision;
};

/**
 * When the event of a body was recorded, in milliseconds since 1970. Found without parsing the
 * whole body, since no value before the timestamp can contain a quote.
 */
export const recordedAt = (body: string): number => {
  const from = body.indexOf(timestamp) + timestamp.length;
  return Date.parse(body.slice(from, body.indexOf('"', from)));
};

const timestamp = '"timestamp":"';
