import { z } from 'zod';
import { eventKinds } from './event-kinds.js';
import { idSchema } from './ids.js';
import { affiliateSchema } from './records/affiliate.record.js';
import { conversionSchema } from './records/conversion.record.js';
import { instantSchema } from './time.js';

/**
 * The body of a webhook: the event, and the record as the API shows it, as of exactly this event.
 */
export const envelopeSchema = z
  .strictObject({
    id: idSchema('event'),
    type: z.enum(eventKinds),
    timestamp: instantSchema,
    account_id: idSchema('account'),
    position: z.string(),
    data: z.union([affiliateSchema, conversionSchema]),
  })
  .meta({ id: 'EventEnvelope' });
export type EventEnvelope = z.infer<typeof envelopeSchema>;
