import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { exampleIdOf, idSchema } from '../ids/ids.js';
import { currencySchema } from '../money.js';
import { reportedSale } from '../conversions/conversion.record.js';
import { payoutStatuses } from './payout.record.js';
import { metadataSchema, readableText } from '../text.js';
import { dayInputSchema, instantInputSchema } from '../time.js';
import { pageOrCsvQuery } from '../shared/list-spec.js';
import { patchWithReasonTo } from '../shared/patch.js';

/** The body of a request to pay an affiliate what is payable in one currency. */
export const createPayoutSchema = z
  .strictObject({
    affiliate_id: reportedSale.affiliate_id.describe(
      'An approved affiliate, unless `even_if_not_approved` is true.',
    ),
    currency: currencySchema,
    until: dayInputSchema
      .optional()
      .describe(
        'Takes every open entry that is payable on or before this day (UTC), which must not be in the future. Default: today.',
      ),
    ignore_minimum: z
      .boolean()
      .optional()
      .describe("Also pays an amount below the program's minimum."),
    partial: z
      .boolean()
      .optional()
      .describe('Takes as many entries as one payout can hold; the next one takes the rest.'),
    even_if_not_approved: z
      .boolean()
      .optional()
      .describe('Pays an affiliate of any status, or one that was deleted.'),
    description: readableText({ max: 500 })
      .optional()
      .meta({ description: 'Its purpose.', example: 'January 2026' }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'CreatePayout' })
  .register(bodyExamples, {
    example: {
      affiliate_id: exampleIdOf('affiliate'),
      currency: 'USD',
      description: 'January 2026',
    },
  });
/** A payout as a client asks for it. */
export type NewPayout = z.infer<typeof createPayoutSchema>;

const status = z
  .enum(payoutStatuses)
  .describe('`failed` and `canceled` are final: the lines are open again.');
const changes = {
  reason: readableText({ min: 1, max: 500 })
    .optional()
    .describe('Required with status `failed`, and only together with `status`.'),
  reference: readableText({ min: 1, max: 255 })
    .optional()
    .describe('The id that a bank or a payment provider gave the payment.'),
  completed_at: instantInputSchema
    .optional()
    .describe('When the money was sent; only with status `completed`. Default: now.'),
};

/** The body of a request to change a payout. */
export const updatePayoutSchema = patchWithReasonTo(
  'failed',
  {
    status: status.optional(),
    ...changes,
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdatePayout',
).register(bodyExamples, { example: { status: 'completed', reference: 'PP-8H7' } });
export type UpdatePayout = z.infer<typeof updatePayoutSchema>;

/** The query parameters of the lines of a payout. */
export const payoutEntriesQuerySchema = z.strictObject(pageOrCsvQuery);

/** A line of an import of payouts. */
export const importPayoutSchema = patchWithReasonTo(
  'failed',
  {
    payout_id: z
      .string()
      .meta({ ...idSchema('payout').meta(), description: 'The payout that has this result.' }),
    status,
    ...changes,
  },
  'ImportPayout',
).register(bodyExamples, {
  example: { payout_id: exampleIdOf('payout'), status: 'completed', reference: 'PP-8H7' },
});
export type ImportPayout = z.infer<typeof importPayoutSchema>;
