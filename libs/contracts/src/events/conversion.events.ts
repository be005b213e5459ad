import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids.js';
import { conversionStatuses } from '../records/conversion.record.js';
import { metadataRecordSchema } from '../records/metadata.record.js';

/**
 * The fields of a conversion's record that can change. Amounts are in the minor unit of
 * `sale_currency`.
 */
export const conversionFieldsSchema = z.strictObject({
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
  external_transaction_id: z.string().nullable(),
};
const changed = z.strictObject({
  ...about,
  before: conversionFieldsSchema,
  after: conversionFieldsSchema,
});

/** Stream `refledger.conversion-<id>`. */
export const conversionEvents = {
  'conversion.created': z.strictObject({ ...about, after: conversionFieldsSchema }),
  'conversion.updated': changed,
  'conversion.approved': changed,
  'conversion.rejected': changed,
  'conversion.refunded': changed,
} as const;
