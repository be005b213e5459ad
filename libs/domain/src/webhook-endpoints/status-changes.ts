import { DomainError } from '@refledger/contracts';
import type {
  EndpointFields,
  EndpointStatus,
  HeldChoice,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import { beforeOf, type Endpoint } from './endpoint.js';
import { isSame } from './renewals.js';

/** The status that a client wants an endpoint to have. */
export interface StatusRequest {
  /** Undefined: it stays as it is. */
  readonly status?: EndpointStatus | undefined;
  /** The treatment of the deliveries of earlier events. Only with the status `enabled`. */
  readonly held?: HeldChoice | undefined;
}

/**
 * The event of a change to an endpoint: one that changes the status carries the fields, too. None
 * if nothing changes. Throws `invalid_transition` if a client wants the endpoint disabled.
 */
export const changeEndpoint = (
  endpoint: Endpoint,
  fields: EndpointFields,
  { status = endpoint.status, held = 'send' }: StatusRequest,
): WebhookEndpointsEvent[] => {
  const about = { endpoint_id: endpoint.id, before: beforeOf(endpoint) };
  const isNewStatus = status !== endpoint.status;
  if (isNewStatus && status === 'disabled') throw cannotDisable(endpoint);
  if (status === 'enabled' && (isNewStatus || held === 'drop'))
    return [{ type: 'webhook.enabled', data: { ...about, fields, held } }];
  if (isNewStatus) return [{ type: 'webhook.paused', data: { ...about, fields } }];
  if (isSame(endpoint.fields, fields)) return [];
  return [{ type: 'webhook.updated', data: { ...about, fields, status } }];
};

const cannotDisable = ({ id, status }: Endpoint): DomainError =>
  new DomainError(
    'invalid_transition',
    `The webhook endpoint ${id} is ${status}, and only the service disables an endpoint. ${
      status === 'enabled' ? 'Set its status to paused instead.' : 'Leave it paused, or delete it.'
    }`,
  );
