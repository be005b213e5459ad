import type {
  AccountId, EndpointFields, EndpointId, Position, Recorded, WebhookEndpointRecord,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { listedBy } from './indexes.js';
import type { DocumentKey, View } from './view.js';

/**
 * The webhook endpoints that are subscribed, as the API lists them, and beside them each version
 * of each endpoint as a document of its own: a list costs the same however often its endpoints
 * were changed, and no document grows with its changes.
 */
export const webhookEndpointsView: View = {
  name: 'webhook_endpoints',
  version: 2,
  collections: [{ name: 'endpoints', indexes: [listedBy([])] }, { name: 'versions', indexes: [] }],
  keysOf: (event) => (isEndpointEvent(event) ? keysOf(event) : []),
  evolve: (document, event, { collection }) => {
    if (!isEndpointEvent(event)) return undefined;
    return collection === 'versions' ? versionDocument(event) : evolve(document, event);
  },
};

export type EndpointDocument = WebhookEndpointRecord & { readonly account_id: AccountId };

/**
 * What an endpoint is from `position` on, until its next version. `revision` is the event's in the
 * account's stream of endpoints. Without `fields` they are those of the version before.
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

/** The record of the API. */
export const endpointFromDocument = (document: Document): WebhookEndpointRecord => {
  const { account_id: _, ...record } = document as EndpointDocument;
  return record;
};

type EndpointEvent = Recorded<WebhookEndpointsEvent>;

const isEndpointEvent = (event: Recorded): event is EndpointEvent => event.type.startsWith('webhook.');

const keysOf = ({ type, position, data: { endpoint_id } }: EndpointEvent): readonly DocumentKey[] => [
  { collection: 'endpoints', id: endpoint_id, begins: type === 'webhook.subscribed' },
  { collection: 'versions', id: `${endpoint_id}@${position}`, begins: true },
];

const evolve = (document: Document | undefined, event: EndpointEvent): Document | null | undefined => {
  const { type, data, metadata: { account_id, recorded_at } } = event;
  if (type === 'webhook.subscribed') {
    const { target_url, events, description } = data.fields;
    const record: WebhookEndpointRecord = {
      id: data.endpoint_id, object: 'webhook_endpoint', target_url, events, description,
      status: 'enabled', created_at: recorded_at, updated_at: recorded_at,
    };
    return { account_id: account_id as AccountId, ...record };
  }
  if (document === undefined) return undefined;
  switch (type) {
    case 'webhook.updated': {
      const { target_url, events, description } = data.fields;
      return { ...document, target_url, events, description, status: 'enabled', updated_at: recorded_at };
    }
    case 'webhook.disabled': return { ...document, status: 'disabled', updated_at: recorded_at };
    case 'webhook.unsubscribed': return null;
  }
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
    case 'webhook.updated': return { status: 'enabled', fields: event.data.fields };
    case 'webhook.disabled': return { status: 'disabled', fields: null };
    case 'webhook.unsubscribed': return { status: 'removed', fields: null };
  }
};
