import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { listOfEventTypes } from '../event-types/public-event-type.requests.js';
import { eventPatterns } from '../event-types/event-patterns.js';
import { described } from '../problems/described.js';
import { quotesAdvice } from '../problems/without-quotes.js';
import {
  endpointStatuses,
  eventsText,
  heldChoices,
  maxPerSecondText,
  payloads,
  payloadText,
} from './webhook-endpoint.record.js';
import { readableText, text } from '../text.js';
import { patchWithFieldFor } from '../shared/patch.js';
import { secretSchema } from './webhook-secret.requests.js';
import { statsPeriods } from './webhook-stats.record.js';

/**
 * The URL of an endpoint. The target guard checks later whether it may be reached
 * (`target_not_allowed`).
 */
const targetUrl = (schema: ReturnType<typeof text>) =>
  schema
    .refine(isAbsoluteHttpUrl, {
      error: 'must be an absolute http or https URL without a user name or password',
      params: { code: 'invalid_url' },
    })
    .meta({ format: 'uri', example: 'https://shop.example.com/hooks' });

export const unsubscribeQuerySchema = z.strictObject({
  target_url: targetUrl(text({ min: 1, max: 2048 })).describe(
    'The address of the endpoint, as it was sent or in another form of the same URL.',
  ),
});

/** The maximum length of a normalized target URL, in bytes. */
const maxTargetBytes = 2_048;

/**
 * The URL of a new subscription. It is stored both as it was sent and normalized. Normalizing can
 * turn one character into twelve bytes, so the normalized length is limited too. A URL with too
 * many characters gets only the error about those.
 */
const subscribedUrlSchema = targetUrl(readableText({ min: 1, max: 2048 }))
  .refine((value) => [...value].length > 2_048 || normalizedBytes(value) <= maxTargetBytes, {
    error: ({ input }) =>
      `must have at most ${maxTargetBytes} bytes once it is normalized, without its fragment, but has ${normalizedBytes(String(input))}. ` +
      'Send a shorter URL; each escaped character counts as up to 12 bytes.',
    params: { code: 'wrong_length' },
  })
  .describe(
    `At most ${maxTargetBytes} bytes once it is normalized (WHATWG), without its fragment.`,
  );

const patternSchema = z.enum(eventPatterns, {
  error: ({ input }) =>
    `must be an event type or a pattern, but was ${described(input)}. Use one of: ${eventPatterns.join(', ')}`,
});

/** The event types that an endpoint gets. */
const subscribedEventsSchema = listOfEventTypes(patternSchema);

const descriptionSchema = readableText({ max: 500 }).describe('Its purpose.');

const payloadSchema = z
  .enum(payloads, {
    error: ({ input }) => `must be full or thin, but was ${described(input)}`,
  })
  .describe(payloadText);

const maxPerSecondSchema = z
  .int({
    error: ({ input }) =>
      `must be a whole number from 1 to 1000, or null${quotesAdvice('int', input)}`,
  })
  .min(1, { error: 'must be at least 1, or null' })
  .max(1_000, { error: 'must be at most 1000' })
  .nullable()
  .describe(maxPerSecondText);

export const subscribeSchema = z
  .strictObject({
    target_url: subscribedUrlSchema,
    events: subscribedEventsSchema.describe(eventsText),
    secret: secretSchema.optional().describe('Generated if omitted.'),
    description: descriptionSchema.optional(),
    payload: payloadSchema
      .optional()
      .describe(`${payloadText} Default for a new endpoint: \`full\`.`),
    max_per_second: maxPerSecondSchema.optional(),
  })
  .meta({ id: 'Subscribe' })
  .register(bodyExamples, {
    example: {
      target_url: 'https://shop.example.com/hooks',
      events: ['conversion.*', 'payout.completed'],
      description: 'Our shop',
    },
  });

const statusSchema = z.enum(endpointStatuses, {
  error: ({ input }) => `must be enabled or paused, but was ${described(input)}`,
});

const heldSchema = z.enum(heldChoices, {
  error: ({ input }) => `must be send or drop, but was ${described(input)}`,
});

/** The body of a request to change an endpoint. */
export const updateWebhookSchema = patchWithFieldFor(
  { field: 'held', status: 'enabled' },
  {
    status: statusSchema
      .optional()
      .describe('Deliveries are held while it is `paused`. Only the service disables an endpoint.'),
    held: heldSchema
      .optional()
      .describe(
        'Only with the status `enabled`. Default `send`: held deliveries are sent, oldest first. `drop`: unfinished deliveries of earlier events are canceled.',
      ),
    target_url: subscribedUrlSchema.optional(),
    events: subscribedEventsSchema.optional().describe(`Replaces all entries. ${eventsText}`),
    description: descriptionSchema.nullable().optional(),
    payload: payloadSchema.optional(),
    max_per_second: maxPerSecondSchema.optional(),
  },
  'UpdateWebhook',
).register(bodyExamples, { example: { events: ['conversion.*', 'payout.*'], max_per_second: 50 } });

/**
 * Returns the length of the normalized URL in bytes, or 0 for text that is not a URL, which is
 * refused anyway.
 */
function normalizedBytes(value: string): number {
  if (!URL.canParse(value)) return 0;
  const url = new URL(value);
  url.hash = '';
  return url.href.length;
}

function isAbsoluteHttpUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return (
    url !== undefined && /^https?:\/\//i.test(value) && url.username === '' && url.password === ''
  );
}

/** The query parameters of the statistics of a webhook endpoint. */
export const webhookStatsQuerySchema = z.strictObject({
  period: z.enum(statsPeriods).optional().describe('Default `24h`.'),
});
