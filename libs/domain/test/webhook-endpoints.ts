import { derivedId, eventSchemaVersion, toPosition } from '@refledger/contracts';
import type {
  EndpointBefore,
  EndpointFields,
  EndpointStatus,
  HeldChoice,
  Position,
  RecordedEvent,
  WebhookEndpointsEvent,
} from '@refledger/contracts';
import type { SubscribeCommand } from '../src/webhook-endpoints/subscription.js';
import { endpointChange } from '../src/webhook-endpoints/endpoint-changes.js';
import {
  endpointOf,
  endpointRecord,
  type WebhookEndpointsState,
} from '../src/webhook-endpoints/endpoint.js';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
} from '../src/webhook-endpoints/webhook-endpoints.decider.js';
import { instantOf, when } from './scenario.js';

export const idOf = (name: string) => derivedId('endpoint', name);

/** The address of an endpoint with this name. */
export const target = (name: string) => ({
  target_url: `https://${name}.example.com`,
  target_key: `https://${name}.example.com/`,
});
export const subscribe = (
  name: string,
  more: Partial<SubscribeCommand> = {},
): SubscribeCommand => ({
  type: 'subscribe',
  endpoint_id: idOf(name),
  ...target(name),
  events: ['conversion.created'],
  new_secret: 'sealed new',
  now: instantOf(0),
  ...more,
});

/** The fields of an endpoint as `subscribe` sets them. */
export const fieldsOf = (name: string, more: Partial<EndpointFields> = {}): EndpointFields => ({
  ...target(name),
  events: ['conversion.created'],
  description: null,
  secret: 'sealed new',
  payload: 'full',
  max_per_second: null,
  ...more,
});
/** The endpoint before an event, in tests that look only at the fold. */
export const before: EndpointBefore = {
  fields: fieldsOf('before'),
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: instantOf(0),
  updated_at: instantOf(0),
};
export const subscribed = (
  name: string,
  more?: Partial<EndpointFields>,
): WebhookEndpointsEvent => ({
  type: 'webhook.subscribed',
  data: { endpoint_id: idOf(name), fields: fieldsOf(name, more) },
});
export const updated = (
  name: string,
  more?: Partial<EndpointFields>,
  status: EndpointStatus = 'enabled',
): WebhookEndpointsEvent => ({
  type: 'webhook.updated',
  data: { endpoint_id: idOf(name), before, fields: fieldsOf(name, more), status },
});
export const paused = (name: string, more?: Partial<EndpointFields>): WebhookEndpointsEvent => ({
  type: 'webhook.paused',
  data: { endpoint_id: idOf(name), before, fields: fieldsOf(name, more) },
});
export const enabled = (
  name: string,
  more?: Partial<EndpointFields>,
  held: HeldChoice = 'send',
): WebhookEndpointsEvent => ({
  type: 'webhook.enabled',
  data: { endpoint_id: idOf(name), before, fields: fieldsOf(name, more), held },
});
export const disabled = (name: string): WebhookEndpointsEvent => ({
  type: 'webhook.disabled',
  data: { endpoint_id: idOf(name), before, reason: 'gone' },
});
export const failing = (name: string, failing_since = instantOf(0)): WebhookEndpointsEvent => ({
  type: 'webhook.failing',
  data: { endpoint_id: idOf(name), before, failing_since },
});
export const recovered = (name: string): WebhookEndpointsEvent => ({
  type: 'webhook.recovered',
  data: { endpoint_id: idOf(name), before },
});
export const unsubscribed = (name: string): WebhookEndpointsEvent => ({
  type: 'webhook.unsubscribed',
  data: { endpoint_id: idOf(name) },
});

/** An event as it was recorded. */
export const recorded = (
  event: WebhookEndpointsEvent,
  revision: number,
): RecordedEvent<WebhookEndpointsEvent> => ({
  ...event,
  id: `event-${revision}`,
  stream: 'refledger.webhooks-acct_1',
  revision,
  position: toPosition(String(revision + 1)) as Position,
  metadata: {
    account_id: 'acct_1',
    actor: 'key_1',
    request_id: 'r',
    schema: eventSchemaVersion,
    recorded_at: instantOf(revision),
  },
});

/** Returns the decision on a command, with `before` as the endpoint before each event. */
export const decided = (
  state: WebhookEndpointsState,
  command: WebhookEndpointsCommand,
): readonly WebhookEndpointsEvent[] =>
  when(webhookEndpointsDecider, state, command).map(withSameBefore);

const withSameBefore = (event: WebhookEndpointsEvent): WebhookEndpointsEvent =>
  // the compiler cannot tell that the type and the data still belong together
  ('before' in event.data
    ? { ...event, data: { ...event.data, before } }
    : event) as WebhookEndpointsEvent;

/** Checks that the event alone gives the endpoint after it. */
export const expectWhole = (
  event: WebhookEndpointsEvent,
  state: WebhookEndpointsState,
  revision: number,
): void => {
  const { after } = endpointChange(recorded(event, revision));
  const endpoint = endpointOf(state, event.data.endpoint_id);
  expect(after && endpointRecord(after)).toEqual(endpoint && endpointRecord(endpoint));
};
