import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import { amountsByCurrencyRecord } from '../money.js';
import {
  createdAtSchema,
  objectOf,
  recordMetadataSchema,
  revisionSchema,
  updatedAtSchema,
} from '../shared/record-fields.js';
import { termsSchema } from '../shared/terms.js';

export const programStatuses = ['active', 'archived'] as const;
/** How new affiliates or conversions are approved. */
export const approvals = ['manual', 'automatic'] as const;
export type Approval = (typeof approvals)[number];

/** The choices of automatic approval. */
export const automatic = {
  affiliates: '`automatic`: new affiliates are approved immediately.',
  conversions: '`automatic`: new conversions of approved affiliates are approved immediately.',
};
export const affiliateApprovalSchema = z.enum(approvals).describe(automatic.affiliates);
export const conversionApprovalSchema = z.enum(approvals).describe(automatic.conversions);
export const programStatusSchema = z
  .enum(programStatuses)
  .describe(
    'An `archived` program takes no new affiliates and conversions; existing ones continue.',
  );

/** The fields of a program's record that can change. */
export const programFields = {
  name: z.string().describe('A program that its first affiliate registered is named after its id.'),
  status: programStatusSchema,
  terms: termsSchema
    .nullable()
    .describe('The terms of new conversions; null: they earn 0. Recorded conversions keep theirs.'),
  terms_version: z.int().min(0).describe('Counts the changes to the terms; 0 before the first.'),
  affiliate_approval: affiliateApprovalSchema,
  conversion_approval: conversionApprovalSchema,
  minimum_payout: amountsByCurrencyRecord.describe(
    'In minor units, by currency. A currency that is not named has no minimum.',
  ),
  metadata: recordMetadataSchema,
};

/** A program as the API shows it. */
export const programSchema = z
  .strictObject({
    id: programIdSchema.describe('Chosen by the client or by Refledger; it never changes.'),
    object: objectOf('program'),
    ...programFields,
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    revision: revisionSchema,
  })
  .meta({
    id: 'Program',
    example: {
      id: 'prog_spring',
      object: 'program',
      name: 'Spring',
      status: 'active',
      terms: {
        type: 'percentage',
        rate_bps: 2000,
        caps: { USD: 50000 },
        recurring: { months: 12 },
        hold_days: 30,
      },
      terms_version: 1,
      affiliate_approval: 'manual',
      conversion_approval: 'automatic',
      minimum_payout: { USD: 5000, EUR: 5000 },
      metadata: {},
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T10:00:00.000Z',
      revision: 1,
    },
  });
export type ProgramRecord = z.infer<typeof programSchema>;
