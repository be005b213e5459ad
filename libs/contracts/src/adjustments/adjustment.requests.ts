import { z } from 'zod';
import { exampleIdOf } from '../ids/ids.js';
import { bodyExamples } from '../shared/body-examples.js';
import { currencySchema, signedAmountSchema } from '../money.js';
import { adjustmentStatuses } from './adjustment.record.js';
import { reportedSale } from '../conversions/conversion.record.js';
import { metadataSchema, readableText } from '../text.js';
import { dayInputSchema } from '../time.js';
import { patchWithReasonTo } from '../shared/patch.js';

export const createAdjustmentSchema = z
  .strictObject({
    affiliate_id: reportedSale.affiliate_id.describe(
      'An affiliate of any status, or one that was deleted: what it is owed stays owed.',
    ),
    currency: currencySchema,
    amount: signedAmountSchema.describe(
      'In minor units: positive for a bonus, negative for a deduction.',
    ),
    description: readableText({ min: 1, max: 500 }).meta({
      description: 'Statements show it.',
      example: 'Bonus for January',
    }),
    payable_on: dayInputSchema
      .optional()
      .describe(
        'The day (UTC) from which it is payable: at most 366 days ahead or back. Default: the day on which it is recorded.',
      ),
    external_id: readableText({ min: 1, max: 255 })
      .optional()
      .meta({ description: 'Identifies one adjustment of the account.', example: 'bonus-2026-01' }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateAdjustment' })
  .register(bodyExamples, {
    example: {
      affiliate_id: exampleIdOf('affiliate'),
      currency: 'USD',
      amount: 8000,
      description: 'Bonus for January',
      external_id: 'bonus-2026-01',
    },
  });
/** An adjustment as a client asks for it. */
export type NewAdjustment = z.infer<typeof createAdjustmentSchema>;

/** The body of a request to void an adjustment, or to change its metadata. */
export const updateAdjustmentSchema = patchWithReasonTo(
  'voided',
  {
    status: z.enum(adjustmentStatuses).optional().describe('`voided` is final.'),
    reason: readableText({ min: 1, max: 500 })
      .optional()
      .describe(
        'Why it is voided. Required with status `voided`, and only together with `status`.',
      ),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateAdjustment',
).register(bodyExamples, { example: { status: 'voided', reason: 'Sent twice' } });
export type UpdateAdjustment = z.infer<typeof updateAdjustmentSchema>;
