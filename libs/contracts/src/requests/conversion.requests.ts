import { z } from 'zod';
import { amountSchema } from '../money.js';
import { reportedSale } from '../records/conversion.record.js';
import { metadataSchema, readableText } from '../text.js';
import { patchWithReasonFor } from './patch.js';

export const createConversionSchema = z.strictObject(reportedSale).meta({ id: 'CreateConversion' });

export const updateConversionSchema = patchWithReasonFor(
  ['status', 'refunded_amount', 'commission_amount'],
  {
    status: z.enum(['approved', 'rejected', 'refunded']).optional(),
    reason: readableText({ max: 500 })
      .optional()
      .describe('Only together with `status`, `refunded_amount` or `commission_amount`.'),
    sale_amount: amountSchema.optional().describe('Only while the conversion is pending.'),
    refunded_amount: amountSchema
      .optional()
      .describe(
        'The sum of all refunds so far, in the minor unit, while the conversion is pending or approved. If it equals `sale_amount`, an approved conversion becomes refunded; reject a pending one instead. A lower amount than before needs `If-Match`.',
      ),
    commission_amount: amountSchema
      .nullable()
      .optional()
      .describe(
        'What the conversion earns, instead of what the terms say. Null returns to the terms that it was recorded with. Not while the conversion is refunded.',
      ),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateConversion',
);
export type UpdateConversion = z.infer<typeof updateConversionSchema>;
