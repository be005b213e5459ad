import { z } from 'zod';
import { eventKinds } from '../events/event-kinds.js';
import { idSchema } from '../ids/ids.js';
import { endpointStatuses, payloads } from '../records/webhook-endpoint.record.js';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';

/**
 * The fields of an endpoint, as an event sets them. `secret` is sealed (AES-256-GCM), never in the
 * clear.
 */
const endpointFieldsSchema = z.strictObject({
  target_url: z.string().describe('as the client sent it'),
  target_key: z
    .string()
    .describe('after WHATWG normalisation, without a fragment: what endpoints are compared by'),
  events: z.array(z.enum(eventKinds)),
  description: z.string().nullable(),
  secret: z.string().describe('sealed'),
  payload: z.enum(payloads).default('full'),
  max_per_second: z.int().nullable().default(null).describe('null: no such limit'),
});
export type EndpointFields = z.infer<typeof endpointFieldsSchema>;

/** The secret before a rotation, which signs beside the present one for a while. */
const previousSecretSchema = z.strictObject({
  secret: z.string().describe('sealed'),
  signs_until: instantSchema,
});
export type PreviousSecret = z.infer<typeof previousSecretSchema>;

const endpoint = { endpoint_id: idSchema('endpoint') };

/** Stream `refledger.webhooks-<account id>`: all endpoints of an account. */
export const webhookEndpoints = {
  stream: ['account'],
  members: { endpoint: 'endpoint_id' },
  secrets: { secret: '[sealed]' },
  events: {
    'webhook.subscribed': z.strictObject({ ...endpoint, fields: endpointFieldsSchema }),
    'webhook.updated': z.strictObject({
      ...endpoint,
      fields: endpointFieldsSchema,
      status: z
        .enum(endpointStatuses)
        .default('enabled')
        .describe('after the event; every event without it also enabled the endpoint'),
    }),
    'webhook.secret_rotated': z.strictObject({
      ...endpoint,
      secret: z.string().describe('sealed'),
      previous: previousSecretSchema.nullable().describe('null: it was replaced at once'),
    }),
    'webhook.disabled': z.strictObject({ ...endpoint, reason: z.string() }),
    'webhook.unsubscribed': z.strictObject(endpoint),
  },
} as const satisfies AggregateSpec;
export type WebhookEndpointsEvent = EventsOf<typeof webhookEndpoints.events>;
