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

/** These fields as events hold them. An event recorded before they existed takes the defaults. */
const optional = {
  external_id: affiliateSchema.shape.external_id.default(null),
  commission: affiliateMoney.commission.default(null),
  commission_version: affiliateMoney.commission_version.default(0),
  payout_email: affiliateMoney.payout_email.default(null),
  payout_hold: affiliateMoney.payout_hold.default(false),
  payout_hold_reason: affiliateMoney.payout_hold_reason.default(null),
};

/** The values of these fields that a new affiliate has unless they are sent. */
export const affiliateDefaults = z.object(optional).parse({});

/** The fields of an affiliate's record that can change. */
const affiliateFieldsSchema = z.strictObject({
  email: z.string(),
  name: z.string(),
  status: z.enum(affiliateStatuses),
  ...optional,
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
