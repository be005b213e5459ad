import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { exampleIdOf, programIdSchema } from '../ids/ids.js';
import { amountFrom, amountsByCurrency } from '../money.js';
import { reportedSale } from '../conversions/conversion.record.js';
import {
  affiliateApprovalSchema,
  approvals,
  automatic,
  conversionApprovalSchema,
  programStatusSchema,
} from './program.record.js';
import { newTermsSchema } from '../shared/terms.js';
import { metadataSchema, nameSchema, readableText } from '../text.js';
import { patchWithReasonOf } from '../shared/patch.js';

const terms = newTermsSchema.nullable();
const minimumPayout = amountsByCurrency(amountFrom(1)).meta({ example: { USD: 5000 } });

export const createProgramSchema = z
  .strictObject({
    id: programIdSchema.optional().describe('Generated if omitted.'),
    name: nameSchema,
    terms: terms.optional().describe('The terms of conversions. Without terms they earn 0.'),
    affiliate_approval: z
      .enum(approvals)
      .optional()
      .describe(`${automatic.affiliates} Default \`manual\`.`),
    conversion_approval: z
      .enum(approvals)
      .optional()
      .describe(`${automatic.conversions} Default \`manual\`.`),
    minimum_payout: minimumPayout
      .optional()
      .describe('In minor units, by currency. A currency that is not named has no minimum.'),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreateProgram' })
  .register(bodyExamples, {
    example: {
      id: 'prog_spring',
      name: 'Spring',
      terms: { type: 'percentage', rate_bps: 2000, hold_days: 30 },
      minimum_payout: { USD: 5000 },
    },
  });
/** A program as a client asks for it. */
export type NewProgram = Omit<z.infer<typeof createProgramSchema>, 'id'>;

/** The body of a request to change a program. */
export const updateProgramSchema = patchWithReasonOf(
  {
    name: nameSchema.optional(),
    status: programStatusSchema.optional(),
    reason: readableText({ max: 500 }).optional().describe('Only together with a change.'),
    terms: terms.optional().describe('Replaces the terms as a whole. null: conversions earn 0.'),
    affiliate_approval: affiliateApprovalSchema.optional(),
    conversion_approval: conversionApprovalSchema.optional(),
    minimum_payout: minimumPayout.optional().describe('Replaces the whole minimum payout.'),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateProgram',
).register(bodyExamples, {
  example: { terms: { type: 'percentage', rate_bps: 2500 }, reason: 'A better rate for summer' },
});
export type UpdateProgram = z.infer<typeof updateProgramSchema>;

export const quoteSaleSchema = z
  .strictObject({
    affiliate_id: reportedSale.affiliate_id
      .optional()
      .describe("Without it the program's terms apply, and the customer counts as new."),
    customer_id: reportedSale.customer_id,
    sale_amount: reportedSale.sale_amount,
    sale_currency: reportedSale.sale_currency,
    occurred_at: reportedSale.occurred_at,
  })
  .meta({ id: 'QuoteSale' })
  .register(bodyExamples, {
    example: { affiliate_id: exampleIdOf('affiliate'), sale_amount: 4950, sale_currency: 'USD' },
  });
export type QuotedSale = z.infer<typeof quoteSaleSchema>;
