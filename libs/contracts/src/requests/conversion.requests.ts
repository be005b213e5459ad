import { z } from 'zod';
import { idPrefixes } from '../ids.js';
import { amountSchema, currencySchema } from '../money.js';
import { metadataSchema, text } from '../text.js';

/** An affiliate named by a client: anything that is text, since an id that we never made is simply not found. */
const affiliateReferenceSchema = text({ min: 1, max: 100 }).meta({ example: `${idPrefixes.affiliate}${'0'.repeat(25)}1` });

export const createConversionSchema = z
  .strictObject({
    affiliate_id: affiliateReferenceSchema,
    sale_amount: amountSchema,
    sale_currency: currencySchema,
    external_transaction_id: text({ min: 1, max: 255 }).optional().describe('Names one conversion of the account.'),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateConversion' });
export type CreateConversion = z.infer<typeof createConversionSchema>;

export const updateConversionSchema = z
  .strictObject({
    status: z.enum(['approved', 'rejected', 'refunded']).optional(),
    reason: text({ max: 500 }).optional().describe('Only together with `status`.'),
    sale_amount: amountSchema.optional().describe('Only while the conversion is pending.'),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  })
  .refine((patch) => Object.keys(patch).length > 0, { error: 'must change something', params: { code: 'empty' } })
  .refine((patch) => patch.reason === undefined || patch.status !== undefined, { error: 'is accepted only together with status', path: ['reason'], params: { code: 'without_status' }, when: ({ value }) => typeof value === 'object' && value !== null })
  .meta({ id: 'UpdateConversion', minProperties: 1, dependentRequired: { reason: ['status'] } });
export type UpdateConversion = z.infer<typeof updateConversionSchema>;
