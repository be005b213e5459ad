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

/** The personal values of an affiliate. Whatever is stored has them as one sealed text. */
const affiliateValuesSchema = z.strictObject({
  email: z.string(),
  external_id: affiliateSchema.shape.external_id,
  name: z.string(),
  payout_email: affiliateMoney.payout_email,
  payout_hold_reason: affiliateMoney.payout_hold_reason,
  reason: z.string().nullable(),
  metadata: metadataRecordSchema,
});
export type AffiliateValues = z.infer<typeof affiliateValuesSchema>;
export const affiliateValueNames = keysOf(affiliateValuesSchema.shape);

/** The other fields of an affiliate's record that can change. */
const plainFieldsSchema = z.strictObject({
  status: z.enum(affiliateStatuses),
  commission: affiliateMoney.commission,
  commission_version: affiliateMoney.commission_version,
  payout_hold: affiliateMoney.payout_hold,
});
export type AffiliatePlainFields = z.infer<typeof plainFieldsSchema>;

/** The fields of an affiliate's record that can change. */
export type AffiliateFields = AffiliatePlainFields & AffiliateValues;

/** The record of an affiliate that is not erased, with its personal values in the clear. */
export type OpenAffiliateRecord = Omit<AffiliateRecord, keyof AffiliateValues> & AffiliateValues;

/** An affiliate's record as it is stored: its personal values are one sealed text. */
export type SealedAffiliateRecord = Omit<AffiliateRecord, keyof AffiliateValues> & {
  /** null once the affiliate is erased. */
  readonly sealed: string | null;
};

const about = { affiliate_id: idSchema('affiliate'), program_id: programIdSchema };
/** HMACs under a key of the account. Nobody who lacks it can test an address. */
const hashesSchema = z.strictObject({
  email: z.string().describe('Finds the affiliate, and the claim, that has its email.'),
  external_id: z.string().nullable().describe('Finds the affiliate by its external id.'),
});
export type AffiliateHashes = z.infer<typeof hashesSchema>;

const values = {
  sealed: z.string().describe('All personal values after the event, which one key opens.'),
  hashes: hashesSchema,
};
const created = z.strictObject({ ...about, after: plainFieldsSchema, ...values });
const changed = z.strictObject({
  ...about,
  before: plainFieldsSchema,
  after: plainFieldsSchema,
  ...values,
  changed: z.array(z.enum(affiliateValueNames)).describe('The personal values that changed.'),
  recipient_changed: z.boolean().describe('Whether money is sent to another address from now on.'),
});

const events = {
  'affiliate.created': created,
  'affiliate.updated': changed,
  'affiliate.approved': changed,
  'affiliate.rejected': changed,
  'affiliate.suspended': changed,
  'affiliate.deleted': z.strictObject({ ...about, before: plainFieldsSchema }),
  'affiliate.erased': z
    .strictObject(about)
    .describe(
      'The last event of the stream. Its append deletes the affiliate, too, unless it was deleted earlier.',
    ),
};
export type AffiliateEvent = EventsOf<typeof events>;

/** Stream `refledger.affiliate-<id>`. */
export const affiliate = {
  stream: ['affiliate'],
  secrets: { sealed: '[personal]' },
  events,
  kinds: keysOf(events),
  record: affiliateSchema,
  topic: 'affiliates',
  partitionedBy: 'affiliate',
  partitionKey: ({ id }: Pick<AffiliateRecord, 'id'>) => id,
} as const satisfies PublicAggregateSpec;
