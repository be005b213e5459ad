import { z } from 'zod';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import { countOf, objectOf, ownIdOf } from '../shared/record-fields.js';
import { attemptSchema } from './attempt.js';

export const deliveryStatuses = [
  'waiting',
  'held',
  'sending',
  'succeeded',
  'failed',
  'canceled',
] as const;
/** The status of a delivery; see docs/glossary.md. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const deliveryTriggers = ['event', 'redeliver', 'replay', 'test'] as const;
/** Why a delivery was made: its event happened, or it was requested. */
export type DeliveryTrigger = (typeof deliveryTriggers)[number];

const delivery = {
  id: ownIdOf('delivery'),
  object: objectOf('delivery'),
  endpoint_id: idSchema('endpoint').describe('The endpoint of the delivery.'),
  event_id: idSchema('event').describe('The `webhook-id` of every attempt.'),
  type: z.enum(publicEventTypes).describe('The event type.'),
  object_id: z.string().describe("The id of the event's record."),
  position: z.string().describe('The position of the event in the log; `0` for a test.'),
  status: z
    .enum(deliveryStatuses)
    .describe(
      '`waiting`: due, or to be tried again at `next_attempt_at`. `held`: sent once the endpoint is enabled.',
    ),
  trigger: z
    .enum(deliveryTriggers)
    .describe('Why it was made: its event happened, or it was requested.'),
  replay_id: idSchema('replay').nullable().describe('The replay that made it; null otherwise.'),
  attempt_count: countOf('How many attempts have started.'),
  next_attempt_at: instantSchema
    .nullable()
    .describe(
      'When it may be attempted; null unless it is `waiting`, and while a replay or a test waits for its turn.',
    ),
  reason: z
    .string()
    .nullable()
    .describe('Why it was canceled or has failed, in words; null otherwise.'),
  created_at: instantSchema.describe('When it was made.'),
  finished_at: instantSchema
    .nullable()
    .describe('When it succeeded, failed or was canceled; null before.'),
  recovered_by: idSchema('delivery')
    .nullable()
    .describe('A later delivery of the same event to this endpoint that succeeded, or null.'),
};

const example = {
  id: `dlv_${'0'.repeat(25)}1`,
  object: 'delivery',
  endpoint_id: `whk_${'0'.repeat(25)}1`,
  event_id: `evt_${'0'.repeat(25)}1`,
  type: 'conversion.created',
  object_id: `conv_${'0'.repeat(25)}1`,
  position: '1234',
  status: 'waiting',
  trigger: 'event',
  replay_id: null,
  attempt_count: 1,
  next_attempt_at: '2026-01-31T09:30:05.130Z',
  reason: null,
  created_at: '2026-01-31T09:30:00.010Z',
  finished_at: null,
  recovered_by: null,
};

/** A delivery as lists show it. */
export const deliverySchema = z.strictObject(delivery).meta({ id: 'Delivery', example });
export type DeliveryRecord = z.infer<typeof deliverySchema>;

/** A delivery on its own. */
export const deliveryWithAttemptsSchema = z
  .strictObject({
    ...delivery,
    body: z.string().nullable().describe('The text as sent; null until it has been sent.'),
    attempts: z.array(attemptSchema).describe('At most the last 30.'),
  })
  .meta({
    id: 'DeliveryWithAttempts',
    example: {
      ...example,
      body: '{"id":"evt_00000000000000000000000001","type":"conversion.created"}',
      attempts: [
        {
          number: 1,
          started_at: '2026-01-31T09:30:00.012Z',
          duration_ms: 118,
          outcome: 'bad_status',
          status_code: 503,
          error: null,
          address: '203.0.113.7',
          response_headers: { 'content-type': 'text/plain', 'retry-after': '5' },
          response_body: 'try again later',
          response_truncated: false,
          retry_after: 5,
        },
      ],
    },
  });
export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttemptsSchema>;
