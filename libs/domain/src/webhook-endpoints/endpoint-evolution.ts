import type { DisabledReason, EndpointId, WebhookEndpointsEvent } from '@refledger/contracts';
import { touched, type EventMeta } from '../decider.js';
import { endpointOf, type Endpoint, type WebhookEndpointsState } from './endpoint.js';
import { renewedBy } from './renewals.js';
import { withSecret } from './secret-rotation.js';

/** The endpoints of an account after one more event. */
export const evolveEndpoints = (
  state: WebhookEndpointsState,
  event: WebhookEndpointsEvent,
  at: EventMeta,
): WebhookEndpointsState => {
  const { endpoint_id } = event.data;
  const endpoint = endpointOf(state, endpoint_id);
  switch (event.type) {
    case 'webhook.subscribed':
    case 'webhook.enabled':
      return put(state, {
        ...changed({ ...event.data, status: 'enabled' }, endpoint, at),
        failing_since: null,
      });
    case 'webhook.paused':
      return put(state, changed({ ...event.data, status: 'paused' }, endpoint, at));
    case 'webhook.updated':
      return put(state, changed(event.data, endpoint, at));
    case 'webhook.secret_rotated':
      return endpoint === undefined ? state : put(state, withSecret(endpoint, event.data, at));
    case 'webhook.disabled':
      return endpoint === undefined
        ? state
        : put(state, disabledBy(event.data.reason, endpoint, at));
    case 'webhook.failing':
      return withHealth(state, endpoint, event.data.failing_since);
    case 'webhook.recovered':
      return withHealth(state, endpoint, null);
    case 'webhook.unsubscribed':
      return state.filter(({ id }) => id !== endpoint_id);
  }
};

/** The endpoint after an event that gives its fields. */
const changed = (
  { endpoint_id: id, fields, status }: StateAfter,
  before: Endpoint | undefined,
  at: EventMeta,
): Endpoint => ({
  id,
  fields,
  status,
  disabled: status === 'disabled' ? (before?.disabled ?? null) : null,
  // a change of status discards what was found out about the endpoint
  failing_since: before?.status === status ? before.failing_since : null,
  previous: before?.previous ?? null,
  created_at: before?.created_at ?? at.recordedAt,
  renewed: renewedBy(fields, before, at),
  ...touched(at),
});

const disabledBy = (reason: DisabledReason, endpoint: Endpoint, at: EventMeta): Endpoint => ({
  ...endpoint,
  status: 'disabled',
  disabled: { reason, at: at.recordedAt },
  failing_since: null,
  ...touched(at),
});

const withHealth = (
  state: WebhookEndpointsState,
  endpoint: Endpoint | undefined,
  failing_since: string | null,
): WebhookEndpointsState =>
  endpoint === undefined ? state : put(state, { ...endpoint, failing_since });

interface StateAfter extends Pick<Endpoint, 'fields' | 'status'> {
  readonly endpoint_id: EndpointId;
}

const put = (state: WebhookEndpointsState, endpoint: Endpoint): WebhookEndpointsState => {
  const index = state.findIndex(({ id }) => id === endpoint.id);
  return index < 0 ? [...state, endpoint] : state.with(index, endpoint);
};
