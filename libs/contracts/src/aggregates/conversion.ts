import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import {
  conversionSchema,
  conversionStatuses,
  saleDetails,
  type ConversionRecord,
} from '../records/conversion.record.js';
import { metadataRecordSchema } from '../text.js';
import { keysOf, type EventsOf, type PublicAggregateSpec } from './aggregate.js';

/**
 * The fields of a conversion's record that can change. Amounts are in the minor unit of
 * `sale_currency`.
 */
const conversionFieldsSchema = z.strictObject({
  status: z.enum(conversionStatuses),
  sale_amount: z.int().min(0),
  commission_amount: z.int().min(0),
  reason: z.string().nullable(),
  metadata: metadataRecordSchema,
});
export type ConversionFields = z.infer<typeof conversionFieldsSchema>;

const about = {
  conversion_id: idSchema('conversion'),
  affiliate_id: idSchema('affiliate'),
  program_id: programIdSchema,
  sale_currency: z.string(),
  ...saleDetails,
};
const changed = z.strictObject({
  ...about,
  before: conversionFieldsSchema,
  after: conversionFieldsSchema,
});

const events = {
  'conversion.created': z.strictObject({ ...about, after: conversionFieldsSchema }),
  'conversion.updated': changed,
  'conversion.approved': changed,
  'conversion.rejected': changed,
  'conversion.refunded': changed,
};
export type ConversionEvent = EventsOf<typeof events>;

/** Stream `refledger.conversion-<id>`. */
export const conversion = {
  stream: ['conversion'],
  events,
  kinds: keysOf(events),
  record: conversionSchema,
  topic: 'conversions',
  partitionedBy: 'affiliate',
  partitionKey: ({ affiliate_id }: ConversionRecord) => affiliate_id,
} as const satisfies PublicAggregateSpec;
