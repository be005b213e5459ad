import { z } from 'zod';
import { affiliateStatuses } from '../records/affiliate.record.js';
import { conversionStatuses } from '../records/conversion.record.js';
import { currencySchema } from '../money.js';
import { text } from '../text.js';
import { instantInputSchema } from '../time.js';
import { targetUrlSchema } from './webhook.requests.js';

/** The page size. It is parsed from text, since query parameters arrive as text. */
const limitSchema = z
  .string()
  .regex(/^([1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' })
  .meta({ description: '1 to 100, default 25.' });

/** The query parameters that every list takes. */
export const listQuery = {
  limit: limitSchema.optional(),
  cursor: z
    .string()
    .max(1024, { error: 'is not a cursor of this list' })
    .optional()
    .describe('Opaque: `next_cursor` of the page before.'),
  sort: z
    .enum(['created_at', '-created_at'])
    .optional()
    .describe('Default `-created_at`: newest first.'),
  created_after: instantInputSchema.optional().describe('Excludes this instant.'),
  created_before: instantInputSchema.optional().describe('Excludes this instant.'),
};

const idFilter = text({ max: 100 }).optional();

export const listAffiliatesQuerySchema = z.strictObject({
  ...listQuery,
  program_id: idFilter,
  status: z.enum(affiliateStatuses).optional(),
  email: text({ max: 254 }).optional().describe('Compared ignoring case.'),
});
export const listConversionsQuerySchema = z.strictObject({
  ...listQuery,
  affiliate_id: idFilter,
  program_id: idFilter,
  status: z.enum(conversionStatuses).optional(),
  external_transaction_id: text({ max: 255 }).optional(),
  sale_currency: currencySchema.optional(),
});
export const listQuerySchema = z.strictObject(listQuery);
export const noQuerySchema = z.strictObject({});
export const unsubscribeQuerySchema = z.strictObject({ target_url: targetUrlSchema });
