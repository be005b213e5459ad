import {
  accountOf,
  type AccountId,
  type EndpointId,
  type RecordedEvent,
  type WebhookEndpointRecord,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { endpointRecord, metaOf, webhookEndpointsDecider, type Endpoint } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { streamEnd, type StreamEndDocument } from './stream-end.js';
import { listedBy, projectionOf } from './projection.js';

/**
 * The subscribed webhook endpoints; their events, so that the history of one endpoint is read
 * without the events of the others of its account; and the last event of each account's stream,
 * from which commands on endpoints continue.
 */
export const webhookEndpointsProjection = projectionOf<
  'webhooks',
  EndpointDocument | EndpointEventDocument | StreamEndDocument
>(['webhooks'], {
  name: 'webhook_endpoints',
  version: 8,
  collections: [
    { name: 'endpoints', indexes: [listedBy([])] },
    { name: 'events', indexes: [{ fields: ['endpoint_id', 'revision'] }] },
    { name: 'streams', indexes: [] },
  ],
  keysOf: ({ type, stream, revision, data: { endpoint_id } }) => [
    { collection: 'endpoints', id: endpoint_id, begins: type === 'webhook.subscribed' },
    { collection: 'events', id: `${endpoint_id}@${revision}`, begins: true },
    { collection: 'streams', id: stream },
  ],
  evolve: (document, event, { collection }) => {
    if (collection === 'streams') return streamEnd(event);
    if (collection === 'events') return eventDocument(event);
    return evolve(isEndpoint(document) ? document : undefined, event);
  },
});

/**
 * The stored endpoint. `since` is the revision of its subscription in the account's stream; it
 * orders endpoints.
 */
export interface EndpointDocument extends Document {
  readonly account_id: AccountId;
  readonly since: number;
  readonly endpoint: Endpoint;
  readonly record: WebhookEndpointRecord;
}

/** An event of an endpoint. `revision` is its revision in the account's stream of endpoints. */
export interface EndpointEventDocument extends Document {
  readonly endpoint_id: EndpointId;
  readonly revision: number;
  readonly event: RecordedEvent<WebhookEndpointsEvent>;
}

type EndpointEvent = RecordedEvent<WebhookEndpointsEvent>;

const isEndpoint = (document: Document | undefined): document is EndpointDocument =>
  document !== undefined && 'endpoint' in document;

/** Folds one endpoint alone, because the account's other endpoints don't affect it. */
const evolve = (
  before: EndpointDocument | undefined,
  event: EndpointEvent,
): EndpointDocument | null | undefined => {
  if (before === undefined && event.type !== 'webhook.subscribed') return undefined;
  const endpoints = before === undefined ? [] : [before.endpoint];
  const [endpoint] = webhookEndpointsDecider.evolve(endpoints, event, metaOf(event));
  if (endpoint === undefined) return null;
  return {
    account_id: accountOf(event),
    since: before?.since ?? event.revision,
    endpoint,
    record: endpointRecord(endpoint),
  };
};

const eventDocument = (event: EndpointEvent): EndpointEventDocument => ({
  endpoint_id: event.data.endpoint_id,
  revision: event.revision,
  event,
});
