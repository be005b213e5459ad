import { z } from 'zod';
import { eventPatterns } from '../event-types/event-patterns.js';
import { instantSchema } from '../time.js';
import { objectOf, ownIdOf, updatedAtSchema } from '../shared/record-fields.js';

export const endpointStatuses = ['enabled', 'paused', 'disabled'] as const;
/** The status of an endpoint. Only the service disables one; clients pause it. */
export type EndpointStatus = (typeof endpointStatuses)[number];

export const disabledReasons = ['gone', 'failing'] as const;
/** Why the service disabled an endpoint: it responded with 410, or failed for too long. */
export type DisabledReason = (typeof disabledReasons)[number];

const endpointHealths = ['ok', 'failing'] as const;
/** Whether attempts to an endpoint have failed for an hour, without a success. */
export type EndpointHealth = (typeof endpointHealths)[number];

export const heldChoices = ['send', 'drop'] as const;
/** The treatment of held deliveries when their endpoint is enabled. */
export type HeldChoice = (typeof heldChoices)[number];

/** How much of a record an endpoint gets: all of it, or only what identifies it. */
export const payloads = ['full', 'thin'] as const;
export type Payload = (typeof payloads)[number];

export const payloadText =
  '`thin`: `data` has only the `id`, `object` and `revision` of the record.';
export const maxPerSecondText = 'The most requests that may start per second; null: no such limit.';

/** The meanings of the entries of `events`. */
export const eventsText =
  'Event types. `conversion.*` is every event type of a conversion, and `*` every event type, including types that are added later.';

const descriptionTextSchema = z.string().nullable().describe('Its purpose; null if none was sent.');

export const signsUntilSchema = instantSchema.describe(
  'The end of the overlap: it signs until then.',
);

const endpoint = {
  id: ownIdOf('endpoint'),
  object: objectOf('webhook_endpoint'),
  target_url: z.string().describe('As it was sent, without its fragment.'),
  events: z.array(z.enum(eventPatterns)).describe(eventsText),
  description: descriptionTextSchema,
  status: z
    .enum(endpointStatuses)
    .describe('Deliveries to an endpoint that is paused, or disabled as failing, are held.'),
  disabled: z
    .strictObject({
      reason: z
        .enum(disabledReasons)
        .describe('`gone`: it responded with 410. `failing`: it failed for too long.'),
      at: instantSchema.describe('When it was disabled.'),
    })
    .nullable()
    .describe(
      'Why and when it was disabled: `gone` after a response with 410; null in every other status.',
    ),
  health: z
    .enum(endpointHealths)
    .describe('`failing` after an hour and five failed attempts without a success.'),
  failing_since: instantSchema
    .nullable()
    .describe(
      'The time of the first failed attempt since the last success; null if the last attempt succeeded, or while the time cannot be read.',
    ),
  payload: z.enum(payloads).describe(payloadText),
  max_per_second: z.int().min(1).max(1_000).nullable().describe(maxPerSecondText),
  secret_rotation: z
    .strictObject({ signs_until: signsUntilSchema })
    .nullable()
    .describe(
      'null unless the previous secret remains valid after a rotation, alongside the current one.',
    ),
  created_at: instantSchema.describe('When it was subscribed.'),
  updated_at: updatedAtSchema,
};

/** A webhook endpoint as the API shows it, without its secret. */
export const webhookEndpointSchema = z.strictObject(endpoint).meta({
  id: 'WebhookEndpoint',
  description:
    'In an event about an endpoint, `target_url` has no query, and `failing_since` is null until the endpoint is `failing`.',
  example: {
    id: `whk_${'0'.repeat(25)}1`,
    object: 'webhook_endpoint',
    target_url: 'https://shop.example.com/hooks',
    events: ['conversion.approved'],
    description: 'Our shop',
    status: 'enabled',
    disabled: null,
    health: 'ok',
    failing_since: null,
    payload: 'full',
    max_per_second: null,
    secret_rotation: null,
    created_at: '2026-01-31T10:00:00.000Z',
    updated_at: '2026-01-31T10:00:00.000Z',
  },
});
export type WebhookEndpointRecord = z.infer<typeof webhookEndpointSchema>;

/** How many deliveries of an endpoint have not ended. Counted up to 10,000. */
const unfinishedDeliveries = {
  waiting: z
    .int()
    .min(0)
    .max(10_000)
    .nullable()
    .describe(
      'Deliveries that wait, are held or are being sent; 10,000 means at least that many. null while they cannot be counted.',
    ),
  held: z.int().min(0).max(10_000).nullable().describe('The held ones among them.'),
};

/** A webhook endpoint on its own. */
export const singleEndpointSchema = z
  .strictObject({ ...endpoint, ...unfinishedDeliveries })
  .meta({ id: 'WebhookEndpointWithCounts' });
export type SingleEndpointRecord = z.infer<typeof singleEndpointSchema>;

/** The response to a subscription. It shows the secret only when the endpoint is new. */
export const subscribedEndpointSchema = z
  .strictObject({
    ...endpoint,
    ...unfinishedDeliveries,
    secret: z.string().optional().describe('Shown once, when the endpoint is created.'),
  })
  .meta({ id: 'SubscribedWebhookEndpoint' });
