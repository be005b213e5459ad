import { comparePositions, type AccountId, type EndpointFields, type EndpointId, type Position, type Recorded, type WebhookEndpointRecord, type WebhookEndpointsEvent } from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { listedBy } from './indexes.js';
import type { View } from './view.js';

/**
 * Every webhook endpoint with all its versions. One that was unsubscribed keeps its document, since events before
 * that are still matched by it, and is not listed.
 */
export const webhookEndpointsView: View = {
  name: 'webhook_endpoints',
  version: 1,
  collections: [{ name: 'endpoints', indexes: [listedBy(['listed']), listedBy([])] }],
  keysOf: (event) => (isEndpointEvent(event) ? [{ collection: 'endpoints', id: event.data.endpoint_id }] : []),
  evolve: (document, event) => (isEndpointEvent(event) ? evolve(document as EndpointDocument | undefined, event) : undefined),
};

export type EndpointStatus = 'enabled' | 'disabled' | 'removed';

/** What an endpoint was from `position` on. `secret` is sealed; `revision` is the place in the account's stream of endpoints. */
export interface EndpointVersion {
  readonly position: Position;
  readonly revision: number;
  readonly status: EndpointStatus;
  readonly target_url: string;
  readonly target_key: string;
  readonly events: EndpointFields['events'];
  readonly secret: string;
}

export interface EndpointDocument extends Document {
  readonly account_id: AccountId;
  readonly id: EndpointId;
  readonly status: EndpointStatus;
  /** False once it was unsubscribed. */
  readonly listed: boolean;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** Oldest first; never empty. */
  readonly versions: readonly EndpointVersion[];
}

/** The version in force at a position; undefined before the endpoint was made. */
export const versionAt = (document: EndpointDocument, position: Position): EndpointVersion | undefined =>
  document.versions.findLast((version) => comparePositions(version.position, position) <= 0);

/** The version that holds now. */
export const latestVersion = (document: EndpointDocument): EndpointVersion => {
  const latest = document.versions.at(-1);
  if (latest === undefined) throw new TypeError(`the endpoint ${document.id} has no version`);
  return latest;
};

export const endpointDocument = (document: Document): EndpointDocument => document as EndpointDocument;

/** The record of the API, of an endpoint that is listed. */
export const endpointFromDocument = (document: Document): WebhookEndpointRecord => {
  const endpoint = endpointDocument(document);
  const { target_url, events } = latestVersion(endpoint);
  const { id, description, created_at, updated_at } = endpoint;
  return { id, object: 'webhook_endpoint', target_url, events, description, status: endpoint.status === 'enabled' ? 'enabled' : 'disabled', created_at, updated_at };
};

type EndpointEvent = Recorded<WebhookEndpointsEvent>;
const isEndpointEvent = (event: Recorded): event is EndpointEvent => event.type.startsWith('webhook.');

const evolve = (document: EndpointDocument | undefined, event: EndpointEvent): EndpointDocument | undefined => {
  switch (event.type) {
    case 'webhook.subscribed':
      return document === undefined ? subscribed(event, event.data.fields) : undefined;
    case 'webhook.updated':
      return document && next(document, event, 'enabled', event.data.fields);
    case 'webhook.disabled':
      return document && next(document, event, 'disabled', latestVersion(document));
    case 'webhook.unsubscribed':
      return document && next(document, event, 'removed', latestVersion(document));
  }
};

const subscribed = (event: EndpointEvent, fields: EndpointFields): EndpointDocument => ({
  account_id: event.metadata.account_id as AccountId,
  id: event.data.endpoint_id,
  status: 'enabled',
  listed: true,
  description: fields.description,
  created_at: event.metadata.recorded_at,
  updated_at: event.metadata.recorded_at,
  versions: [versionOf(event, 'enabled', fields)],
});

const next = (document: EndpointDocument, event: EndpointEvent, status: EndpointStatus, fields: Omit<EndpointVersion, 'position' | 'revision' | 'status'> & { description?: string | null }): EndpointDocument => ({
  ...document,
  status,
  listed: status !== 'removed',
  description: fields.description === undefined ? document.description : fields.description,
  updated_at: event.metadata.recorded_at,
  versions: withVersion(document.versions, versionOf(event, status, fields)),
});

/** One that changes nothing but its revision takes the place of the one before it: subscribing again and again makes no list longer. */
const withVersion = (versions: readonly EndpointVersion[], version: EndpointVersion): readonly EndpointVersion[] => {
  const before = versions.at(-1);
  const same = before !== undefined && before.status === version.status && before.secret === version.secret && before.target_url === version.target_url && before.events.join() === version.events.join();
  return same ? [...versions.slice(0, -1), { ...version, position: before.position }] : [...versions, version];
};

const versionOf = (event: EndpointEvent, status: EndpointStatus, { target_url, target_key, events, secret }: Pick<EndpointFields, 'target_url' | 'target_key' | 'events' | 'secret'>): EndpointVersion => ({
  position: event.position,
  revision: event.revision,
  status,
  target_url,
  target_key,
  events,
  secret,
});
