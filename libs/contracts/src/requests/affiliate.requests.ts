import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import { affiliateStatuses } from '../records/affiliate.record.js';
import { metadataSchema, nameSchema, text } from '../text.js';
import { patchOf } from './patch.js';

/** An e-mail address in WHATWG syntax, at most 254 characters, kept as it was sent. */
const emailSchema = z
  .string()
  .regex(z.regexes.html5Email, { error: 'must be an e-mail address such as ada@example.com' })
  .max(254, { error: 'must have at most 254 characters' })
  .meta({ example: 'ada@example.com' });

/** The body of a request to add an affiliate. */
export const createAffiliateSchema = z
  .strictObject({
    email: emailSchema,
    name: nameSchema,
    program_id: programIdSchema,
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateAffiliate' });

/** The body of a request to change an affiliate. */
export const updateAffiliateSchema = patchOf(
  {
    name: nameSchema.optional(),
    email: emailSchema.optional(),
    status: z.enum(affiliateStatuses).optional(),
    reason: text({ max: 500 }).optional().describe('Only together with `status`.'),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateAffiliate',
);
export type UpdateAffiliate = z.infer<typeof updateAffiliateSchema>;
