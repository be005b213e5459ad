import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import { amountsByCurrencyRecord } from '../money.js';
import { metadataRecordSchema } from '../text.js';
import { instantSchema } from '../time.js';
import { termsSchema } from './terms.js';

export const programStatuses = ['active', 'archived'] as const;
/** How new affiliates or conversions are approved. */
export const approvals = ['manual', 'automatic'] as const;
export type Approval = (typeof approvals)[number];

/** The fields of a program's record that can change. */
export const programFields = {
  name: z.string(),
  status: z.enum(programStatuses),
  terms: termsSchema.nullable(),
  terms_version: z.int().min(0).describe('Counts the changes to the terms; 0 before the first.'),
  affiliate_approval: z.enum(approvals),
  conversion_approval: z.enum(approvals),
  minimum_payout: amountsByCurrencyRecord.describe(
    'In the minor unit of each currency. A currency that is not named has no minimum.',
  ),
  metadata: metadataRecordSchema,
};

/** A program as the API shows it. */
export const programSchema = z
  .strictObject({
    id: programIdSchema,
    object: z.literal('program'),
    ...programFields,
    created_at: instantSchema,
    updated_at: instantSchema,
    revision: z.int().min(0),
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
