import { DomainError } from '@refledger/contracts';
import type {
  EndpointBefore,
  EndpointFields,
  EndpointId,
  EndpointStatus,
  EventPattern,
  Payload,
  PreviousSecret,
  WebhookEndpointRecord,
} from '@refledger/contracts';

/**
 * An endpoint after its last event. `revision` is the revision, in the account's stream, of its
 * last event that is not about its health. So a change of health does not make earlier findings
 * about the endpoint stale.
 */
export interface Endpoint {
  readonly id: EndpointId;
  readonly fields: EndpointFields;
  readonly status: EndpointStatus;
  /** Why and when (RFC 3339) it was disabled; null in every other status. */
  readonly disabled: WebhookEndpointRecord['disabled'];
  /**
   * Since when attempts have failed (RFC 3339), once an event says so; null while its health is ok.
   */
  readonly failing_since: string | null;
  /** The sealed secret before the last rotation, whether it still signs or not. */
  readonly previous: PreviousSecret | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  /** The instants (RFC 3339) of the last two events that only renewed the subscription. */
  readonly renewed: readonly string[];
}

/**
 * All endpoints of an account, oldest first, without unsubscribed ones. There are at most
 * `maxEndpoints`, so folding an event costs next to nothing.
 */
export type WebhookEndpointsState = readonly Endpoint[];

/** The maximum number of endpoints per account. */
export const maxEndpoints = 100;

/** Returns the previous secret if it still signs at this instant (RFC 3339), else null. */
export const previousStillSigning = <Previous extends Pick<PreviousSecret, 'signs_until'>>(
  previous: Previous | null,
  now: string,
): Previous | null => (previous !== null && previous.signs_until > now ? previous : null);

/** The fields that a client may give. One that is undefined stays as it is. */
export interface FieldUpdates {
  readonly events?: readonly EventPattern[] | undefined;
  readonly description?: string | null | undefined;
  readonly payload?: Payload | undefined;
  readonly max_per_second?: number | null | undefined;
}

/** Returns the fields with those that were given. */
export const withUpdates = (
  fields: EndpointFields,
  {
    events = fields.events,
    description = fields.description,
    payload = fields.payload,
    max_per_second = fields.max_per_second,
  }: FieldUpdates,
): EndpointFields => ({
  ...fields,
  events: [...new Set(events)],
  description,
  payload,
  max_per_second,
});

/** The endpoint's previous state, as an event keeps it. */
export const beforeOf = ({
  id: _id,
  revision: _revision,
  renewed: _renewed,
  ...before
}: Endpoint): EndpointBefore => before;

/** Returns the record as the API shows it at the time of the endpoint's last event. */
export const endpointRecord = (endpoint: Endpoint): WebhookEndpointRecord => ({
  id: endpoint.id,
  object: 'webhook_endpoint',
  target_url: endpoint.fields.target_url,
  events: endpoint.fields.events,
  description: endpoint.fields.description,
  status: endpoint.status,
  disabled: endpoint.disabled,
  health: endpoint.failing_since === null ? 'ok' : 'failing',
  failing_since: endpoint.failing_since,
  payload: endpoint.fields.payload,
  max_per_second: endpoint.fields.max_per_second,
  secret_rotation:
    endpoint.previous === null ? null : { signs_until: endpoint.previous.signs_until },
  created_at: endpoint.created_at,
  updated_at: endpoint.updated_at,
});

/** Returns the endpoint of a normalized URL; undefined if there is none. */
export const endpointAt = (state: WebhookEndpointsState, targetKey: string): Endpoint | undefined =>
  state.find(({ fields }) => fields.target_key === targetKey);

/** Returns the endpoint. Throws `not_found` if the account has none with this id. */
export const requireEndpoint = (state: WebhookEndpointsState, id: EndpointId): Endpoint => {
  const endpoint = endpointOf(state, id);
  if (endpoint === undefined)
    throw new DomainError('not_found', `There is no endpoint "${id}". Check the id.`);
  return endpoint;
};

/** Returns the endpoint with this id; undefined if the account has none. */
export const endpointOf = (state: WebhookEndpointsState, id: EndpointId): Endpoint | undefined =>
  state.find((endpoint) => endpoint.id === id);
