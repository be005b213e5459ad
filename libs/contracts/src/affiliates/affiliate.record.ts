import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import {
  createdAtSchema,
  objectOf,
  ownIdOf,
  recordMetadataSchema,
  revisionSchema,
  updatedAtSchema,
} from '../shared/record-fields.js';
import { affiliateTermsSchema } from '../shared/terms.js';

export const affiliateStatuses = ['pending', 'approved', 'rejected', 'suspended'] as const;
export type AffiliateStatus = (typeof affiliateStatuses)[number];

/** The fields that decide what an affiliate earns, and whether and where it is paid. */
export const affiliateMoney = {
  commission: affiliateTermsSchema
    .nullable()
    .describe("Its own terms, which override the program's terms. null: the program's terms."),
  commission_version: z
    .int()
    .min(0)
    .describe('Counts the changes to `commission`; 0 before the first.'),
  payout_email: z.string().nullable().describe('Where money is sent. null: to `email`.'),
  payout_hold: z.boolean().describe('true: it gets no payouts.'),
  payout_hold_reason: z.string().nullable().describe('null unless `payout_hold` is true.'),
};

/** An affiliate as the API shows it. Of an erased one, every personal value is null, and `metadata` is empty. */
export const affiliateSchema = z
  .strictObject({
    id: ownIdOf('affiliate'),
    object: objectOf('affiliate'),
    email: z
      .string()
      .nullable()
      .describe(
        'As it was sent; unique within the program, ignoring case. null once the affiliate is erased.',
      ),
    external_id: z
      .string()
      .nullable()
      .describe(
        'Your own id or referral code for it; null if it has none. Several affiliates may have the same one.',
      ),
    name: z
      .string()
      .nullable()
      .describe('Payout files show it. null once the affiliate is erased.'),
    program_id: programIdSchema.describe('The program whose sales it brings. It never changes.'),
    status: z
      .enum(affiliateStatuses)
      .describe('Payout runs pay only `approved` ones; sales are accepted of `pending` ones, too.'),
    ...affiliateMoney,
    metadata: recordMetadataSchema,
    reason: z
      .string()
      .nullable()
      .describe('Why its status last changed; null if no reason was given.'),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    approved_at: instantSchema
      .nullable()
      .describe('When it was last approved; null if it never was.'),
    revision: revisionSchema,
  })
  .meta({
    id: 'Affiliate',
    example: {
      id: `aff_${'0'.repeat(25)}1`,
      object: 'affiliate',
      email: 'ada@example.com',
      external_id: 'user-42',
      name: 'Ada Lovelace',
      program_id: 'prog_spring',
      status: 'pending',
      commission: null,
      commission_version: 0,
      payout_email: null,
      payout_hold: false,
      payout_hold_reason: null,
      metadata: {},
      reason: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      approved_at: null,
      revision: 0,
    },
  });
export type AffiliateRecord = z.infer<typeof affiliateSchema>;
