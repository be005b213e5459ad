import {
  publicEventId,
  toJson,
  type AccountId,
  type EventEnvelope,
  type PublicEventType,
  type Payload,
  type Position,
  type PublicEventId,
  type PublicRecord,
} from '@refledger/contracts';
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
    data: dataOf(record, payload),
  };
  return toJson(envelope satisfies Record<Exclude<keyof EventEnvelope, 'test'>, unknown>);
};

/** An event that never happened, to test an endpoint with. */
export interface TestEvent {
  readonly id: PublicEventId;
  readonly type: PublicEventType;
  readonly timestamp: string;
  readonly accountId: AccountId;
  readonly record: PublicRecord;
}

export const testBody = (
  { id, type, timestamp, accountId, record }: TestEvent,
  payload: Payload,
): string => {
  const envelope = {
    id,
    type,
    test: true,
    timestamp,
    account_id: accountId,
    position: positionOfTests,
    data: dataOf(record, payload),
  };
  return toJson(envelope satisfies Record<keyof EventEnvelope, unknown>);
};

/** No event in the log has this position. */
export const positionOfTests = '0' as Position;

const dataOf = (record: PublicRecord, payload: Payload) =>
  payload === 'full' ? record : thin(record);

const thin = (record: PublicRecord) => ({
  id: record.id,
  object: record.object,
  revision: 'revision' in record ? record.revision : null,
});

/** The revision of the record in a body; undefined if the record has none. */
export const revisionIn = (body: string): number | undefined => {
  // decoding boundary: `deliveryBody` made the body
  const { data } = JSON.parse(body) as { readonly data?: { readonly revision?: number | null } };
  return data?.revision ?? undefined;
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
