import { z } from 'zod';
import { eventKinds } from '../events/event-kinds.js';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';

export const endpointStatuses = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

const endpoint = {
  id: idSchema('endpoint'),
  object: z.literal('webhook_endpoint'),
  target_url: z.string(),
  events: z.array(z.enum(eventKinds)),
  description: z.string().nullable(),
  status: z.enum(endpointStatuses),
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
