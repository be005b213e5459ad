import { z } from 'zod';
import { keysOf } from '../keys-of.js';
import { emailSchema } from '../email.js';
import { programIdSchema } from '../ids/ids.js';
import { affiliateStatuses } from './affiliate.record.js';
import { newAffiliateTermsSchema } from '../shared/terms.js';
import { metadataSchema, nameSchema, readableText } from '../text.js';
import { bodyExamples } from '../shared/body-examples.js';
import { patchOf } from '../shared/patch.js';

const externalIdSchema = readableText({ min: 1, max: 255 }).meta({
  description: 'Your own id or referral code for it. It need not be unique.',
  example: 'user-42',
});

/** The body of a request to add an affiliate. */
export const createAffiliateSchema = z
  .strictObject({
    email: emailSchema,
    external_id: externalIdSchema.optional(),
    name: nameSchema,
    program_id: programIdSchema.describe(
      'An unknown one is registered without terms, so that its sales earn 0; with `PROGRAM_AUTO_REGISTER=false` it is refused.',
    ),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateAffiliate' })
  .register(bodyExamples, {
    example: {
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      program_id: 'prog_spring',
      metadata: { channel: 'newsletter' },
    },
  });

/** The fields of a change to an affiliate that need a key with scope `admin`. */
const money = {
  commission: newAffiliateTermsSchema
    .nullable()
    .optional()
    .describe('Replaces the terms as a whole. null: the terms of the program apply.'),
  payout_email: emailSchema
    .nullable()
    .optional()
    .describe('Where money is sent; need not be unique. null: to `email`.'),
  payout_hold: z.boolean().optional().describe('true: it gets no payouts.'),
  payout_hold_reason: readableText({ max: 500 })
    .nullable()
    .optional()
    .describe('Only while `payout_hold` is true; null again when the hold is lifted.'),
};
export const affiliateMoneyFields = keysOf(money);

/** The body of a request to change an affiliate. */
export const updateAffiliateSchema = patchOf(
  {
    name: nameSchema.optional(),
    email: emailSchema.optional(),
    external_id: externalIdSchema
      .nullable()
      .optional()
      .describe('Your own id or referral code for it. null removes it.'),
    status: z
      .enum(affiliateStatuses)
      .optional()
      .describe(
        '`approved` from any status, `rejected` from `pending`, `suspended` from `approved`. `pending` cannot be set.',
      ),
    reason: readableText({ max: 500 }).optional().describe('Only together with `status`.'),
    ...money,
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateAffiliate',
).register(bodyExamples, { example: { status: 'approved', reason: 'Checked by phone' } });
export type UpdateAffiliate = z.infer<typeof updateAffiliateSchema>;
