import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import {
  affiliateMoney,
  affiliateSchema,
  affiliateStatuses,
  type AffiliateRecord,
} from './affiliate.record.js';
import { metadataRecordSchema } from '../text.js';
import { keysOf } from '../keys-of.js';
import { type EventsOf, type PublicAggregateSpec } from '../shared/aggregate.js';

/** The fields of an affiliate's record that can change. */
const affiliateFieldsSchema = z.strictObject({
  email: z.string(),
  name: z.string(),
  status: z.enum(affiliateStatuses),
  external_id: affiliateSchema.shape.external_id,
  ...affiliateMoney,
  reason: z.string().nullable(),
  metadata: metadataRecordSchema,
});
export type AffiliateFields = z.infer<typeof affiliateFieldsSchema>;

/** The values of these fields that a new affiliate has unless they are sent. */
export const affiliateDefaults = {
  external_id: null,
  commission: null,
  commission_version: 0,
  payout_email: null,
  payout_hold: false,
  payout_hold_reason: null,
} as const satisfies Partial<AffiliateFields>;

const about = { affiliate_id: idSchema('affiliate'), program_id: programIdSchema };
const changed = z.strictObject({
  ...about,
  before: affiliateFieldsSchema,
  after: affiliateFieldsSchema,
});

const events = {
  'affiliate.created': z.strictObject({ ...about, after: affiliateFieldsSchema }),
  'affiliate.updated': changed,
  'affiliate.approved': changed,
  'affiliate.rejected': changed,
  'affiliate.suspended': changed,
  'affiliate.deleted': z.strictObject({ ...about, before: affiliateFieldsSchema }),
};
export type AffiliateEvent = EventsOf<typeof events>;

/** Stream `refledger.affiliate-<id>`. */
export const affiliate = {
  stream: ['affiliate'],
  events,
  kinds: keysOf(events),
  record: affiliateSchema,
  topic: 'affiliates',
  partitionedBy: 'affiliate',
  partitionKey: ({ id }: AffiliateRecord) => id,
} as const satisfies PublicAggregateSpec;
