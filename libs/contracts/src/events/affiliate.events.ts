import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids.js';
import { affiliateStatuses } from '../records/affiliate.record.js';
import { metadataRecordSchema } from '../records/metadata.record.js';

/** The fields of an affiliate's record that can change. */
export const affiliateFieldsSchema = z.strictObject({
  email: z.string(),
  name: z.string(),
  status: z.enum(affiliateStatuses),
  reason: z.string().nullable(),
  metadata: metadataRecordSchema,
});
export type AffiliateFields = z.infer<typeof affiliateFieldsSchema>;

const about = { affiliate_id: idSchema('affiliate'), program_id: programIdSchema };
const changed = z.strictObject({
  ...about,
  before: affiliateFieldsSchema,
  after: affiliateFieldsSchema,
});

/** Stream `refledger.affiliate-<id>`. */
export const affiliateEvents = {
  'affiliate.created': z.strictObject({ ...about, after: affiliateFieldsSchema }),
  'affiliate.updated': changed,
  'affiliate.approved': changed,
  'affiliate.rejected': changed,
  'affiliate.suspended': changed,
  'affiliate.deleted': z.strictObject({ ...about, before: affiliateFieldsSchema }),
} as const;
