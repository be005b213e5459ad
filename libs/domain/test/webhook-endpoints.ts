import { derivedId } from '@refledger/contracts';
import type { EndpointFields, EndpointStatus, WebhookEndpointsEvent } from '@refledger/contracts';
import type { SubscribeCommand } from '../src/webhook-endpoints/subscription.js';
import { at } from './scenario.js';

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
  now: at(0),
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
  data: { endpoint_id: idOf(name), fields: fieldsOf(name, more), status },
});
export const disabled = (name: string): WebhookEndpointsEvent => ({
  type: 'webhook.disabled',
  data: { endpoint_id: idOf(name), reason: '410' },
});
export const unsubscribed = (name: string): WebhookEndpointsEvent => ({
  type: 'webhook.unsubscribed',
  data: { endpoint_id: idOf(name) },
});
