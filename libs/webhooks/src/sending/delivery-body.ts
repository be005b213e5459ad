import { publicEventId, type EventEnvelope } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';

/** The body of a delivery: the same bytes for every attempt and every endpoint. */
export const deliveryBody = ({
  eventId,
  type,
  timestamp,
  accountId,
  position,
  record,
}: PublishedRecord): string => {
  const envelope = {
    id: publicEventId(eventId),
    type,
    timestamp,
    account_id: accountId,
    position,
    data: record,
  };
  return JSON.stringify(envelope satisfies Record<keyof EventEnvelope, unknown>);
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
