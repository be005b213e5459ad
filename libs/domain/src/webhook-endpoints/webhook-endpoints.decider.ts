import { DomainError } from '@refledger/contracts';
import type {
  EndpointFields,
  EndpointId,
  EventKind,
  WebhookEndpointRecord,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import { touched, type Decider, type EventMeta } from '../decider.js';

/** An endpoint as its last event left it; `revision` is that event's in the account's stream. */
export interface Endpoint {
  readonly id: EndpointId;
  readonly fields: EndpointFields;
  readonly status: 'enabled' | 'disabled';
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  /** When subscribing again with nothing new made an event, the last two times. */
  readonly renewed: readonly string[];
}

/** All endpoints of an account, oldest first: at most `maxEndpoints`, so that an event costs next to nothing to fold. One that was unsubscribed is gone. */
export type WebhookEndpointsState = readonly Endpoint[];

export type WebhookEndpointsCommand =
  | SubscribeCommand
  | { readonly type: 'unsubscribe'; readonly target_key: string }
  /** `version` is the revision of the endpoint that was used: if it has changed since, nothing is disabled. */
  | {
      readonly type: 'disable';
      readonly endpoint_id: EndpointId;
      readonly version: number;
      readonly reason: string;
    };

export interface SubscribeCommand {
  readonly type: 'subscribe';
  /** For a new endpoint. */
  readonly endpoint_id: EndpointId;
  readonly target_url: string;
  readonly target_key: string;
  readonly events: readonly EventKind[];
  readonly description?: string | undefined;
  /** Sealed, given by the client. Sealing again gives another text: hand over the old one when the secret is the same. */
  readonly secret?: string | undefined;
  /** Sealed, made by us: for a new endpoint whose client gave none. */
  readonly new_secret: string;
  /** When it is decided (RFC 3339). */
  readonly now: string;
}

export const maxEndpoints = 100;

/** Within `renewalWindowMs`, of one endpoint. */
const maxRenewals = 2;
const renewalWindowMs = 60_000;

/** The record as the API shows it. */
export const endpointRecord = ({
  id,
  fields,
  status,
  created_at,
  updated_at,
}: Endpoint): WebhookEndpointRecord => ({
  id,
  object: 'webhook_endpoint',
  target_url: fields.target_url,
  events: fields.events,
  description: fields.description,
  status,
  created_at,
  updated_at,
});

/** The endpoint at an address, compared after normalisation. */
export const endpointAt = (state: WebhookEndpointsState, targetKey: string): Endpoint | undefined =>
  state.find(({ fields }) => fields.target_key === targetKey);

/** Where an account wants its events: all its endpoints in one stream, so that one address names one endpoint and their number has a limit. */
export const webhookEndpointsDecider: Decider<
  WebhookEndpointsCommand,
  WebhookEndpointsState,
  WebhookEndpointsEvent
> = {
  initial: [],

  decide(command, state) {
    switch (command.type) {
      case 'subscribe':
        return subscribe(command, state);
      case 'unsubscribe':
        return unsubscribe(command.target_key, state);
      case 'disable': {
        const endpoint = endpointOf(state, command.endpoint_id);
        const stale =
          endpoint === undefined ||
          endpoint.status === 'disabled' ||
          endpoint.revision > command.version;
        return stale
          ? []
          : [
              {
                type: 'webhook.disabled',
                data: { endpoint_id: command.endpoint_id, reason: command.reason },
              },
            ];
      }
    }
  },

  evolve(state, event, at) {
    const { endpoint_id } = event.data;
    const endpoint = endpointOf(state, endpoint_id);
    switch (event.type) {
      case 'webhook.subscribed':
      case 'webhook.updated':
        return put(state, enabled(event.data, endpoint, at));
      case 'webhook.disabled':
        return endpoint === undefined
          ? state
          : put(state, { ...endpoint, status: 'disabled', ...touched(at) });
      case 'webhook.unsubscribed':
        return state.filter(({ id }) => id !== endpoint_id);
    }
  },
};

const subscribe = (
  command: SubscribeCommand,
  state: WebhookEndpointsState,
): WebhookEndpointsEvent[] => {
  const events = [...new Set(command.events)];
  const known = endpointAt(state, command.target_key);
  if (known !== undefined) {
    const { id: endpoint_id, fields } = known;
    const wanted = {
      ...fields,
      events,
      description: command.description ?? fields.description,
      secret: command.secret ?? fields.secret,
    };
    // also when nothing is new: who subscribes wants it enabled from now on, and a 410 still on its way names an older version
    if (isRenewal(known, wanted) && isRenewedEnough(known, command.now)) return [];
    return [{ type: 'webhook.updated', data: { endpoint_id, fields: wanted } }];
  }
  if (state.length >= maxEndpoints)
    throw new DomainError(
      'too_many_endpoints',
      `this account has ${maxEndpoints} webhook endpoints, the most there can be; unsubscribe one first`,
    );
  const {
    endpoint_id,
    target_url,
    target_key,
    description = null,
    secret = command.new_secret,
  } = command;
  return [
    {
      type: 'webhook.subscribed',
      data: { endpoint_id, fields: { target_url, target_key, events, description, secret } },
    },
  ];
};

const unsubscribe = (targetKey: string, state: WebhookEndpointsState): WebhookEndpointsEvent[] => {
  const known = endpointAt(state, targetKey);
  if (known === undefined)
    throw new DomainError('not_found', `no webhook endpoint is subscribed at ${targetKey}`);
  return [{ type: 'webhook.unsubscribed', data: { endpoint_id: known.id } }];
};

const enabled = (
  {
    endpoint_id: id,
    fields,
  }: { readonly endpoint_id: EndpointId; readonly fields: EndpointFields },
  before: Endpoint | undefined,
  at: EventMeta,
): Endpoint => ({
  id,
  fields,
  status: 'enabled',
  created_at: before?.created_at ?? at.recordedAt,
  renewed: renewedBy(fields, before, at),
  ...touched(at),
});

const renewedBy = (
  fields: EndpointFields,
  before: Endpoint | undefined,
  { recordedAt }: EventMeta,
): readonly string[] => {
  if (before === undefined) return [];
  return isRenewal(before, fields)
    ? [...before.renewed, recordedAt].slice(-maxRenewals)
    : before.renewed;
};

/** Nothing but the version becomes another. */
const isRenewal = ({ status, fields }: Endpoint, wanted: EndpointFields): boolean =>
  status === 'enabled' &&
  fields.target_url === wanted.target_url &&
  fields.target_key === wanted.target_key &&
  fields.description === wanted.description &&
  fields.secret === wanted.secret &&
  fields.events.join() === wanted.events.join();

/** A client may subscribe at each of its starts: two versions within a minute protect it from a 410 as well as hundreds do. */
const isRenewedEnough = ({ renewed }: Endpoint, now: string): boolean => {
  const since = Date.parse(now) - renewalWindowMs;
  return renewed.filter((at) => Date.parse(at) > since).length >= maxRenewals;
};

const endpointOf = (state: WebhookEndpointsState, id: EndpointId): Endpoint | undefined =>
  state.find((endpoint) => endpoint.id === id);

const put = (state: WebhookEndpointsState, endpoint: Endpoint): WebhookEndpointsState => {
  const index = state.findIndex(({ id }) => id === endpoint.id);
  return index < 0 ? [...state, endpoint] : state.with(index, endpoint);
};
