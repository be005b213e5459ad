import type {
  AccountId,
  EndpointFields,
  EndpointId,
  Position,
  Recorded,
  WebhookEndpointRecord,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import { endpointRecord, metaOf, webhookEndpointsDecider, type Endpoint } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { listedBy } from './indexes.js';
import { streamEnd } from './stream-end.js';
import type { DocumentKey, Projection } from './projection.js';

/**
 * The subscribed webhook endpoints, and the last event of each account's stream, from which
 * commands on endpoints continue. Each version of each endpoint is a separate document, so that a
 * list costs the same however often its endpoints change, and no document grows.
 */
export const webhookEndpointsProjection: Projection = {
  name: 'webhook_endpoints',
  version: 3,
  collections: [
    { name: 'endpoints', indexes: [listedBy([])] },
    { name: 'versions', indexes: [] },
    { name: 'streams', indexes: [] },
  ],
  keysOf: (event) => (isEndpointEvent(event) ? keysOf(event) : []),
  evolve: (document, event, { collection }) => {
    if (!isEndpointEvent(event)) return undefined;
    if (collection === 'streams') return streamEnd(event);
    return collection === 'versions' ? versionDocument(event) : evolve(document, event);
  },
};

/**
 * The stored endpoint. `since` is the revision of its subscription in the account's stream; it
 * orders endpoints.
 */
export type EndpointDocument = Document &
  Endpoint & { readonly account_id: AccountId; readonly since: number };

/**
 * The state of an endpoint from `position` until its next version. `revision` is the event's
 * revision in the account's stream of endpoints. If `fields` is null, those of the previous version
 * apply.
 */
export interface EndpointVersionDocument extends Document {
  readonly account_id: AccountId;
  readonly endpoint_id: EndpointId;
  readonly position: Position;
  readonly revision: number;
  readonly recorded_at: string;
  readonly status: 'enabled' | 'disabled' | 'removed';
  readonly fields: EndpointFields | null;
}

/** Returns the API's record of a document. */
export const endpointFromDocument = (document: Document): WebhookEndpointRecord =>
  // A decoding border: only the projection writes these documents.
  endpointRecord(document as EndpointDocument);

type EndpointEvent = Recorded<WebhookEndpointsEvent>;

const isEndpointEvent = (event: Recorded): event is EndpointEvent =>
  event.type.startsWith('webhook.');

const keysOf = (event: EndpointEvent): readonly DocumentKey[] => {
  const {
    type,
    stream,
    position,
    data: { endpoint_id },
  } = event;
  return [
    { collection: 'endpoints', id: endpoint_id, begins: type === 'webhook.subscribed' },
    { collection: 'versions', id: `${endpoint_id}@${position}`, begins: true },
    { collection: 'streams', id: stream },
  ];
};

/** Folds one endpoint alone, because the account's other endpoints don't affect it. */
const evolve = (
  before: Document | undefined,
  event: EndpointEvent,
): Document | null | undefined => {
  if (before === undefined && event.type !== 'webhook.subscribed') return undefined;
  // A decoding border: only the projection writes these documents.
  const endpoints = before === undefined ? [] : [before as EndpointDocument];
  const [endpoint] = webhookEndpointsDecider.evolve(endpoints, event, metaOf(event));
  if (endpoint === undefined) return null;
  const account_id = event.metadata.account_id as AccountId;
  return { account_id, since: event.revision, ...before, ...endpoint };
};

const versionDocument = (event: EndpointEvent): EndpointVersionDocument => ({
  account_id: event.metadata.account_id as AccountId,
  endpoint_id: event.data.endpoint_id,
  position: event.position,
  revision: event.revision,
  recorded_at: event.metadata.recorded_at,
  ...stateAfter(event),
});

const stateAfter = (event: EndpointEvent): Pick<EndpointVersionDocument, 'status' | 'fields'> => {
  switch (event.type) {
    case 'webhook.subscribed':
    case 'webhook.updated':
      return { status: 'enabled', fields: event.data.fields };
    case 'webhook.disabled':
      return { status: 'disabled', fields: null };
    case 'webhook.unsubscribed':
      return { status: 'removed', fields: null };
  }
};
