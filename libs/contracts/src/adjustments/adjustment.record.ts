import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import {
  createdAtSchema,
  objectOf,
  ownIdOf,
  payableOnSchema,
  recordCurrencySchema,
  recordMetadataSchema,
  revisionSchema,
  updatedAtSchema,
} from '../shared/record-fields.js';

export const adjustmentStatuses = ['posted', 'voided'] as const;

/**
 * The fields of an adjustment's record that never change. Its events hold them in the same form.
 */
export const adjustmentDetails = {
  affiliate_id: idSchema('affiliate').describe('The affiliate who is owed more, or less.'),
  program_id: programIdSchema.describe('The program of the affiliate.'),
  currency: recordCurrencySchema,
  amount: z.int().describe('In minor units: positive for a bonus, negative for a deduction.'),
  description: z.string().describe('Its purpose. Statements show it.'),
  payable_on: payableOnSchema,
  external_id: z
    .string()
    .nullable()
    .describe("The client's own id, unique in the account; null if none was sent."),
};

/** An adjustment as the API shows it. */
export const adjustmentSchema = z
  .strictObject({
    id: ownIdOf('adjustment'),
    object: objectOf('adjustment'),
    affiliate_id: adjustmentDetails.affiliate_id,
    program_id: adjustmentDetails.program_id,
    status: z.enum(adjustmentStatuses).describe('A `voided` one counts as 0.'),
    currency: adjustmentDetails.currency,
    amount: adjustmentDetails.amount,
    description: adjustmentDetails.description,
    payable_on: adjustmentDetails.payable_on,
    external_id: adjustmentDetails.external_id,
    metadata: recordMetadataSchema,
    reason: z.string().nullable().describe('Why it was voided; null unless it is.'),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    revision: revisionSchema,
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
