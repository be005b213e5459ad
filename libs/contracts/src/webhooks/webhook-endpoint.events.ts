import { z } from 'zod';
import { eventPatterns } from '../event-types/event-patterns.js';
import { idSchema, type AccountId } from '../ids/ids.js';
import {
  disabledReasons,
  endpointStatuses,
  heldChoices,
  payloads,
  webhookEndpointSchema,
  type WebhookEndpointRecord,
} from './webhook-endpoint.record.js';
import { instantSchema } from '../time.js';
import type { EventsOf, PublicAggregateSpec } from '../shared/aggregate.js';
import { endpointEventTypes } from '../event-types/endpoint-event-types.js';

/**
 * The fields of an endpoint, as an event sets them. `secret` is sealed (AES-256-GCM), never in the
 * clear.
 */
const endpointFieldsSchema = z.strictObject({
  target_url: z.string().describe('as the client sent it'),
  target_key: z
    .string()
    .describe(
      'after WHATWG normalization, without a fragment: endpoints are compared by this value',
    ),
  events: z.array(z.enum(eventPatterns)),
  description: z.string().nullable(),
  secret: z.string().describe('sealed'),
  payload: z.enum(payloads),
  max_per_second: z.int().nullable().describe('null: no such limit'),
});
export type EndpointFields = z.infer<typeof endpointFieldsSchema>;

/** The secret before a rotation, which signs alongside the present one for a while. */
const previousSecretSchema = z.strictObject({
  secret: z.string().describe('sealed'),
  signs_until: instantSchema,
});
export type PreviousSecret = z.infer<typeof previousSecretSchema>;

const endpointBeforeSchema = z.strictObject({
  fields: endpointFieldsSchema,
  status: z.enum(endpointStatuses),
  disabled: z.strictObject({ reason: z.enum(disabledReasons), at: instantSchema }).nullable(),
  failing_since: instantSchema.nullable(),
  previous: previousSecretSchema.nullable(),
  created_at: instantSchema,
  updated_at: instantSchema,
});
export type EndpointBefore = z.infer<typeof endpointBeforeSchema>;

const endpoint = { endpoint_id: idSchema('endpoint') };
const changed = {
  ...endpoint,
  before: endpointBeforeSchema.describe(
    'the endpoint before the event, so that the event alone gives the endpoint after it',
  ),
};

/** Stream `refledger.webhooks-<account id>`: all endpoints of an account. */
export const webhookEndpoints = {
  stream: ['account'],
  members: { endpoint: 'endpoint_id' },
  secrets: { secret: '[sealed]' },
  events: {
    'webhook.subscribed': z.strictObject({ ...endpoint, fields: endpointFieldsSchema }),
    'webhook.updated': z.strictObject({
      ...changed,
      fields: endpointFieldsSchema,
      status: z.enum(endpointStatuses),
    }),
    'webhook.secret_rotated': z.strictObject({
      ...changed,
      secret: z.string().describe('sealed'),
      previous: previousSecretSchema.nullable().describe('null: it was replaced immediately'),
    }),
    'webhook.paused': z.strictObject({ ...changed, fields: endpointFieldsSchema }),
    'webhook.enabled': z.strictObject({
      ...changed,
      fields: endpointFieldsSchema,
      held: z
        .enum(heldChoices)
        .describe('drop: unfinished deliveries of earlier events are canceled'),
    }),
    'webhook.disabled': z.strictObject({
      ...changed,
      reason: z.enum(disabledReasons),
    }),
    'webhook.failing': z.strictObject({ ...changed, failing_since: instantSchema }),
    'webhook.recovered': z.strictObject(changed),
    'webhook.unsubscribed': z.strictObject(endpoint),
  },
  kinds: endpointEventTypes,
  record: webhookEndpointSchema,
  topic: 'account-events',
  partitionedBy: 'account',
  partitionKey: (_: WebhookEndpointRecord, account: AccountId) => account,
} as const satisfies PublicAggregateSpec;
export type WebhookEndpointsEvent = EventsOf<typeof webhookEndpoints.events>;
