import {
  webhookEndpointSchema,
  type FieldChange,
  type RecordedEvent,
  type WebhookEndpointRecord,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { metaOf } from '../decider.js';
import { changesBetween, listedFields, type EventChanges } from '../changes-between.js';
import { evolveEndpoints } from './endpoint-evolution.js';
import { endpointOf, endpointRecord, previousStillSigning, type Endpoint } from './endpoint.js';

/** One event of an endpoint: the endpoint after it, and what it changed. */
export interface EndpointChange extends EventChanges {
  readonly event: EndpointEvent;
  /** Undefined after an event that left no endpoint. */
  readonly after: Endpoint | undefined;
}

type EndpointEvent = RecordedEvent<WebhookEndpointsEvent>;

/** Returns what an event changed in its endpoint. No other event is needed. */
export const endpointChange = (event: EndpointEvent): EndpointChange => {
  const before = endpointBefore(event);
  const after = endpointAfter(event, before);
  return { event, after, reason: reasonOf(event), changes: changesBy(event, before, after) };
};

/**
 * Returns the record as of an event, which was recorded at this instant (RFC 3339): an overlap that
 * had ended by then is omitted.
 */
export const endpointRecordAt = (endpoint: Endpoint, at: string): WebhookEndpointRecord => {
  const record = endpointRecord(endpoint);
  return { ...record, secret_rotation: previousStillSigning(record.secret_rotation, at) };
};

/** The endpoint before an event; undefined before its first and its last. Its renewals are unknown. */
const endpointBefore = ({ data, revision }: EndpointEvent): Endpoint | undefined => {
  if (!('before' in data)) return undefined;
  return { id: data.endpoint_id, ...data.before, revision: revision - 1, renewed: [] };
};

/** The endpoint after an event, from the endpoint before it. */
const endpointAfter = (event: EndpointEvent, before: Endpoint | undefined): Endpoint | undefined =>
  endpointOf(
    evolveEndpoints(before === undefined ? [] : [before], event, metaOf(event)),
    event.data.endpoint_id,
  );

const reasonOf = ({ type, data }: EndpointEvent): string | null =>
  type === 'webhook.disabled' ? data.reason : null;

const changesBy = (
  { metadata: { recorded_at: at } }: EndpointEvent,
  before: Endpoint | undefined,
  after: Endpoint | undefined,
): readonly FieldChange[] => {
  const recordOf = (endpoint: Endpoint | undefined) =>
    endpoint === undefined ? {} : endpointRecordAt(endpoint, at);
  return [
    ...changesBetween(recordOf(before), recordOf(after), fields),
    ...(isRotated(before, after) ? [rotated] : []),
  ];
};

const fields = listedFields(webhookEndpointSchema);

const isRotated = (before: Endpoint | undefined, after: Endpoint | undefined): boolean =>
  before !== undefined && after !== undefined && before.fields.secret !== after.fields.secret;

/** A new secret: no history shows one. */
const rotated: FieldChange = { path: '/secret', before: '(changed)', after: '(changed)' };
