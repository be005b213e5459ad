import { publicEventId, type EventEnvelope } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';

/** What an endpoint receives of an event: the bytes of every attempt, the same for all endpoints. */
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

/** When the event of a body was recorded, found without parsing all of it; no text before it can hold a quote. */
export const recordedAt = (body: string): number => {
  const from = body.indexOf(timestamp) + timestamp.length;
  return Date.parse(body.slice(from, body.indexOf('"', from)));
};

const timestamp = '"timestamp":"';
