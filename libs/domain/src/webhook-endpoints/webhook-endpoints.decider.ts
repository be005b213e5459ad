import { DomainError } from '@refledger/contracts';
import type {
  EndpointFields,
  EndpointId,
  EndpointStatus,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import { touched, type Decider, type EventMeta } from '../decider.js';
import {
  endpointAt,
  endpointOf,
  requireEndpoint,
  withGiven,
  type Endpoint,
  type GivenFields,
  type WebhookEndpointsState,
} from './endpoint.js';
import { isSame, renewedBy } from './renewals.js';
import { rotate, withSecret, type RotateCommand } from './secret-rotation.js';
import { subscribe, type SubscribeCommand } from './subscription.js';

export type WebhookEndpointsCommand =
  | SubscribeCommand
  | { readonly type: 'unsubscribe'; readonly target_key: string }
  /** Changes fields of an endpoint and leaves its status as it is. */
  | { readonly type: 'update'; readonly endpoint_id: EndpointId; readonly patch: EndpointPatch }
  | { readonly type: 'delete'; readonly endpoint_id: EndpointId }
  | RotateCommand
  /**
   * `version` is the revision of the endpoint that was used. An endpoint that has changed since is
   * not disabled.
   */
  | {
      readonly type: 'disable';
      readonly endpoint_id: EndpointId;
      readonly version: number;
      readonly reason: string;
    };

/** The fields of an endpoint to change. One that is undefined stays as it is. */
export interface EndpointPatch extends GivenFields {
  readonly target?: Pick<EndpointFields, 'target_url' | 'target_key'> | undefined;
}

/**
 * All endpoints of an account are in one stream, so that one URL names one endpoint and their
 * number is limited.
 */
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
      case 'update':
        return update(requireEndpoint(state, command.endpoint_id), command.patch, state);
      case 'rotate':
        return rotate(requireEndpoint(state, command.endpoint_id), command);
      case 'delete':
        return [unsubscribed(requireEndpoint(state, command.endpoint_id))];
      case 'disable': {
        const { endpoint_id, version, reason } = command;
        const endpoint = endpointOf(state, endpoint_id);
        if (endpoint?.status !== 'enabled' || endpoint.revision > version) return [];
        return [{ type: 'webhook.disabled', data: { endpoint_id, reason } }];
      }
    }
  },

  evolve(state, event, at) {
    const { endpoint_id } = event.data;
    const endpoint = endpointOf(state, endpoint_id);
    switch (event.type) {
      case 'webhook.subscribed':
        return put(state, changed({ ...event.data, status: 'enabled' }, endpoint, at));
      case 'webhook.updated':
        return put(state, changed(event.data, endpoint, at));
      case 'webhook.secret_rotated':
        return endpoint === undefined ? state : put(state, withSecret(endpoint, event.data, at));
      case 'webhook.disabled':
        return endpoint === undefined
          ? state
          : put(state, { ...endpoint, status: 'disabled', ...touched(at) });
      case 'webhook.unsubscribed':
        return state.filter(({ id }) => id !== endpoint_id);
    }
  },
};

const unsubscribe = (targetKey: string, state: WebhookEndpointsState): WebhookEndpointsEvent[] => {
  const known = endpointAt(state, targetKey);
  if (known === undefined)
    throw new DomainError(
      'not_found',
      `No webhook endpoint is subscribed at ${targetKey}. Check the target_url.`,
    );
  return [unsubscribed(known)];
};

const unsubscribed = ({ id: endpoint_id }: Endpoint): WebhookEndpointsEvent => ({
  type: 'webhook.unsubscribed',
  data: { endpoint_id },
});

const update = (
  { id: endpoint_id, fields, status }: Endpoint,
  { target, ...given }: EndpointPatch,
  state: WebhookEndpointsState,
): WebhookEndpointsEvent[] => {
  const wanted: EndpointFields = { ...withGiven(fields, given), ...target };
  const holder = endpointAt(state, wanted.target_key);
  if (holder !== undefined && holder.id !== endpoint_id)
    throw new DomainError(
      'target_exists',
      `The webhook endpoint ${holder.id} already has this target_url. Change that one, or delete it first.`,
    );
  if (isSame(fields, wanted)) return [];
  return [{ type: 'webhook.updated', data: { endpoint_id, fields: wanted, status } }];
};

const changed = (
  { endpoint_id: id, fields, status }: StateAfter,
  before: Endpoint | undefined,
  at: EventMeta,
): Endpoint => ({
  id,
  fields,
  status,
  previous: before?.previous ?? null,
  created_at: before?.created_at ?? at.recordedAt,
  renewed: renewedBy(fields, before, at),
  ...touched(at),
});

interface StateAfter {
  readonly endpoint_id: EndpointId;
  readonly fields: EndpointFields;
  readonly status: EndpointStatus;
}

const put = (state: WebhookEndpointsState, endpoint: Endpoint): WebhookEndpointsState => {
  const index = state.findIndex(({ id }) => id === endpoint.id);
  return index < 0 ? [...state, endpoint] : state.with(index, endpoint);
};
