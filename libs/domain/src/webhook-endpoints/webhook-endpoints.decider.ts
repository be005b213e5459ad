import { DomainError } from '@refledger/contracts';
import type { EndpointFields, EndpointId, WebhookEndpointsEvent } from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { evolveEndpoints } from './endpoint-evolution.js';
import {
  endpointAt,
  endpointOf,
  requireEndpoint,
  withUpdates,
  type Endpoint,
  type FieldUpdates,
  type WebhookEndpointsState,
} from './endpoint.js';
import { note, type FindingCommand } from './findings.js';
import { rotate, type RotateCommand } from './secret-rotation.js';
import { changeEndpoint, type StatusRequest } from './status-changes.js';
import { subscribe, type SubscribeCommand } from './subscription.js';

export type WebhookEndpointsCommand =
  | SubscribeCommand
  | { readonly type: 'unsubscribe'; readonly target_key: string }
  /** Changes fields of an endpoint, and its status if one is given. */
  | { readonly type: 'update'; readonly endpoint_id: EndpointId; readonly patch: EndpointPatch }
  | { readonly type: 'delete'; readonly endpoint_id: EndpointId }
  | RotateCommand
  | FindingCommand;

/** The changes requested of an endpoint. A field that is undefined stays as it is. */
export interface EndpointPatch extends FieldUpdates, StatusRequest {
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
      case 'disable':
      case 'fail':
      case 'recover':
        return note(endpointOf(state, command.endpoint_id), command);
    }
  },

  evolve: evolveEndpoints,
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
  endpoint: Endpoint,
  { target, ...given }: EndpointPatch,
  state: WebhookEndpointsState,
): WebhookEndpointsEvent[] => {
  const wanted: EndpointFields = { ...withUpdates(endpoint.fields, given), ...target };
  const holder = endpointAt(state, wanted.target_key);
  if (holder !== undefined && holder.id !== endpoint.id)
    throw new DomainError(
      'target_exists',
      `The webhook endpoint ${holder.id} already has this target_url. Change that one, or delete it first.`,
    );
  return changeEndpoint(endpoint, wanted, given);
};
