import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { metadataRecordSchema } from '../text.js';
import { daySchema, instantSchema } from '../time.js';

export const adjustmentStatuses = ['posted', 'voided'] as const;

/**
 * The fields of an adjustment's record that never change. Its events hold them in the same form.
 */
export const adjustmentDetails = {
  affiliate_id: idSchema('affiliate'),
  program_id: programIdSchema.describe('The program of the affiliate.'),
  currency: z.string().describe('ISO 4217, upper case.'),
  amount: z
    .int()
    .describe('In the minor unit of the currency: positive for a bonus, negative for a deduction.'),
  description: z.string(),
  payable_on: daySchema.describe('The day (UTC) from which the amount is payable.'),
  external_id: z.string().nullable(),
};

/** An adjustment as the API shows it. */
export const adjustmentSchema = z
  .strictObject({
    id: idSchema('adjustment'),
    object: z.literal('adjustment'),
    affiliate_id: adjustmentDetails.affiliate_id,
    program_id: adjustmentDetails.program_id,
    status: z.enum(adjustmentStatuses),
    currency: adjustmentDetails.currency,
    amount: adjustmentDetails.amount,
    description: adjustmentDetails.description,
    payable_on: adjustmentDetails.payable_on,
    external_id: adjustmentDetails.external_id,
    metadata: metadataRecordSchema,
    reason: z.string().nullable().describe('Why it was voided.'),
    created_at: instantSchema,
    updated_at: instantSchema,
    revision: z.int().min(0),
  })
  .meta({
    id: 'Adjustment',
    example: {
      id: `adj_${'0'.repeat(25)}1`,
      object: 'adjustment',
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      program_id: 'prog_spring',
      status: 'posted',
      currency: 'USD',
      amount: 8000,
      description: 'Bonus for January',
      payable_on: '2026-01-31',
      external_id: 'bonus-2026-01',
      metadata: {},
      reason: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      revision: 0,
    },
  });
export type AdjustmentRecord = z.infer<typeof adjustmentSchema>;
