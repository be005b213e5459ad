import { z } from 'zod';
import { publicAggregates } from '../aggregates/public-aggregates.js';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import { publicEventTypes } from '../event-types/public-event-types.js';

/** The part of a record that an endpoint with `payload: "thin"` gets. */
const thinRecordSchema = z
  .strictObject({
    id: z.string().describe('The id of the record: read it for the rest.'),
    object: z.string().describe('The type of the record.'),
    revision: z.int().min(0).nullable().describe('null: the record has none.'),
  })
  .meta({ id: 'ThinRecord' });

/**
 * The body of a webhook: the event, and the record as the API shows it, as of exactly this event.
 */
export const envelopeSchema = z
  .strictObject({
    id: idSchema('event').describe(
      'The same in each attempt, redelivery and replay: dedupe by it. Also `webhook-id`.',
    ),
    type: z.enum(publicEventTypes).describe('The event type.'),
    test: z
      .literal(true)
      .optional()
      .describe('Only in a test of an endpoint: its event never happened.'),
    timestamp: instantSchema.describe('When the event was recorded.'),
    account_id: idSchema('account').describe('The account of the endpoint.'),
    position: z.string().describe('The position of the event in the log; `0` in a test.'),
    data: z
      .union([...Object.values(publicAggregates).map(({ record }) => record), thinRecordSchema])
      .describe('A `ThinRecord` if the `payload` of the endpoint is `thin`.'),
  })
  .meta({ id: 'EventEnvelope' });
/** The parsed body of a webhook. */
export type EventEnvelope = z.infer<typeof envelopeSchema>;
