import { z } from 'zod';
import { amountSchema } from '../money.js';
import { reportedSale } from '../records/conversion.record.js';
import { metadataSchema, text } from '../text.js';
import { patchOf } from './patch.js';

export const createConversionSchema = z.strictObject(reportedSale).meta({ id: 'CreateConversion' });

export const updateConversionSchema = patchOf(
  {
    status: z.enum(['approved', 'rejected', 'refunded']).optional(),
    reason: text({ max: 500 }).optional().describe('Only together with `status`.'),
    sale_amount: amountSchema.optional().describe('Only while the conversion is pending.'),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateConversion',
);
export type UpdateConversion = z.infer<typeof updateConversionSchema>;
