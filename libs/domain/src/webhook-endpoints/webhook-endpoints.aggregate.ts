import {
  isEventOf,
  type RecordedEvent,
  type WebhookEndpointRecord,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { metaOf } from '../decider.js';
import type { RecordFold } from '../record-fold.js';
import { endpointChange, endpointRecordAt } from './endpoint-changes.js';
import { evolveEndpoints } from './endpoint-evolution.js';
import { endpointOf, type Endpoint, type WebhookEndpointsState } from './endpoint.js';

/** Returns the fold of an account's endpoints. Its record shows the last event's endpoint. */
const endpointsFold = (
  state: WebhookEndpointsState,
  record: WebhookEndpointRecord | undefined,
): RecordFold<'webhooks'> => ({
  record,

  evolve(event) {
    const own = endpointEvent(event);
    const next = evolveEndpoints(state, own, metaOf(own));
    return endpointsFold(next, publishedRecord(endpointOf(next, own.data.endpoint_id), own));
  },

  recordAlone(event) {
    const own = endpointEvent(event);
    return publishedRecord(endpointChange(own).after, own);
  },
});

/** The stream of an account's endpoints before its first event. */
export const webhookEndpointsAggregate = endpointsFold([], undefined);

const endpointEvent = (event: RecordedEvent): RecordedEvent<WebhookEndpointsEvent> => {
  if (!isEventOf('webhooks', event)) throw new Error(`${event.type} is not an event of webhooks`);
  return event;
};

/**
 * The record as of an event, as other endpoints receive it. It has no query, which may hold a
 * credential of the target.
 */
const publishedRecord = (
  endpoint: Endpoint | undefined,
  { metadata }: RecordedEvent<WebhookEndpointsEvent>,
): WebhookEndpointRecord | undefined => {
  if (endpoint === undefined) return undefined;
  const record = endpointRecordAt(endpoint, metadata.recorded_at);
  return { ...record, target_url: record.target_url.replace(/\?.*$/s, '') };
};
