import {
  accountOf,
  type AccountId,
  type EndpointFields,
  type EndpointId,
  type EndpointStatus,
  type Position,
  type Recorded,
  type WebhookEndpointRecord,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { endpointRecord, metaOf, webhookEndpointsDecider, type Endpoint } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { streamEnd, type StreamEndDocument } from './stream-end.js';
import { listedBy, projectionOf } from './projection.js';

/**
 * The subscribed webhook endpoints, and the last event of each account's stream, from which
 * commands on endpoints continue. Each version of each endpoint is a separate document, so that a
 * list costs the same however often its endpoints change, and no document grows.
 */
export const webhookEndpointsProjection = projectionOf<
  'webhooks',
  EndpointDocument | EndpointVersionDocument | StreamEndDocument
>(['webhooks'], {
  name: 'webhook_endpoints',
  version: 6,
  collections: [
    { name: 'endpoints', indexes: [listedBy([])] },
    { name: 'versions', indexes: [] },
    { name: 'streams', indexes: [] },
  ],
  keysOf: ({ type, stream, position, data: { endpoint_id } }) => [
    { collection: 'endpoints', id: endpoint_id, begins: type === 'webhook.subscribed' },
    { collection: 'versions', id: `${endpoint_id}@${position}`, begins: true },
    { collection: 'streams', id: stream },
  ],
  evolve: (document, event, { collection }) => {
    if (collection === 'streams') return streamEnd(event);
    if (collection === 'versions') return versionDocument(event);
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

/**
 * The state of an endpoint from `position` until its next version. `revision` is the event's
 * revision in the account's stream of endpoints. If `status` or `fields` is null, that of the
 * previous version applies.
 */
interface EndpointVersionDocument extends Document {
  readonly account_id: AccountId;
  readonly endpoint_id: EndpointId;
  readonly position: Position;
  readonly revision: number;
  readonly recorded_at: string;
  readonly status: EndpointStatus | 'removed' | null;
  readonly fields: EndpointFields | null;
}

type EndpointEvent = Recorded<WebhookEndpointsEvent>;

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

const versionDocument = (event: EndpointEvent): EndpointVersionDocument => ({
  account_id: accountOf(event),
  endpoint_id: event.data.endpoint_id,
  position: event.position,
  revision: event.revision,
  recorded_at: event.metadata.recorded_at,
  ...stateAfter(event),
});

const stateAfter = (event: EndpointEvent): Pick<EndpointVersionDocument, 'status' | 'fields'> => {
  switch (event.type) {
    case 'webhook.subscribed':
      return { status: 'enabled', fields: event.data.fields };
    case 'webhook.updated':
      return { status: event.data.status, fields: event.data.fields };
    case 'webhook.secret_rotated':
      return { status: null, fields: null };
    case 'webhook.disabled':
      return { status: 'disabled', fields: null };
    case 'webhook.unsubscribed':
      return { status: 'removed', fields: null };
  }
};
