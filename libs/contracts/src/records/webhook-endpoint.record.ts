import { z } from 'zod';
import { eventKinds } from '../events/event-kinds.js';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';

export const endpointStatuses = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/** What an endpoint gets of a record: all of it, or only what names it. */
export const payloads = ['full', 'thin'] as const;
export type Payload = (typeof payloads)[number];

const endpoint = {
  id: idSchema('endpoint'),
  object: z.literal('webhook_endpoint'),
  target_url: z.string(),
  events: z.array(z.enum(eventKinds)),
  description: z.string().nullable(),
  status: z.enum(endpointStatuses),
  payload: z
    .enum(payloads)
    .describe('`thin`: `data` has only the `id`, `object` and `revision` of the record.'),
  max_per_second: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .describe('The most requests that begin per second; null: no such limit.'),
  secret_rotation: z
    .strictObject({ signs_until: instantSchema })
    .nullable()
    .describe('While the secret before a rotation still signs, beside the present one.'),
  created_at: instantSchema,
  updated_at: instantSchema,
};

/** A webhook endpoint as the API shows it, without its secret. */
export const webhookEndpointSchema = z.strictObject(endpoint).meta({ id: 'WebhookEndpoint' });
export type WebhookEndpointRecord = z.infer<typeof webhookEndpointSchema>;

/** The response to a subscription. It shows the secret only when the endpoint is new. */
export const subscribedEndpointSchema = z
  .strictObject({
    ...endpoint,
    secret: z.string().optional().describe('Shown once, when the endpoint is created.'),
  })
  .meta({ id: 'SubscribedWebhookEndpoint' });

/** The secrets of an endpoint, as the API shows them to a key with scope `admin`. */
export const webhookSecretSchema = z
  .strictObject({
    object: z.literal('webhook_secret'),
    secret: z.string(),
    previous: z
      .strictObject({ secret: z.string(), signs_until: instantSchema })
      .nullable()
      .describe('The secret before a rotation, while it still signs.'),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof webhookSecretSchema>;
