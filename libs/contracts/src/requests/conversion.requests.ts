import { z } from 'zod';
import { idPrefixes } from '../ids.js';
import { amountSchema, currencySchema } from '../money.js';
import { metadataSchema, text } from '../text.js';
import { patchOf } from './patch.js';

/**
 * The id of an affiliate as a client sends it. Any text of 1 to 100 characters is accepted, since
 * an id that does not exist is simply not found.
 */
const affiliateReferenceSchema = text({ min: 1, max: 100 }).meta({
  example: `${idPrefixes.affiliate}${'0'.repeat(25)}1`,
});

export const createConversionSchema = z
  .strictObject({
    affiliate_id: affiliateReferenceSchema,
    sale_amount: amountSchema,
    sale_currency: currencySchema,
    external_transaction_id: text({ min: 1, max: 255 })
      .optional()
      .meta({ description: 'Names one conversion of the account.', example: 'order-1001' }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateConversion' });
export type CreateConversion = z.infer<typeof createConversionSchema>;

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
