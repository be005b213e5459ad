import { z } from 'zod';
import { exampleIdOf } from '../ids/ids.js';
import { isObject } from '../is-object.js';
import { amountSchema } from '../money.js';
import { described } from '../problems/described.js';
import { reportedSale } from './conversion.record.js';
import { metadataSchema, readableText } from '../text.js';
import { bodyExamples } from '../shared/body-examples.js';
import { patchWithReasonFor } from '../shared/patch.js';

export const createConversionSchema = z
  .strictObject(reportedSale)
  .meta({ id: 'CreateConversion' })
  .register(bodyExamples, {
    example: {
      affiliate_id: exampleIdOf('affiliate'),
      sale_amount: 4950,
      sale_currency: 'USD',
      external_transaction_id: 'order-1001',
      customer_id: 'customer-17',
      occurred_at: '2026-01-31T09:30:00Z',
    },
  });

/** The only `commission` that can be sent: the record's own cannot be changed. */
const byTermsSchema = z
  .unknown()
  .refine((sent) => !isObject(sent), {
    error: 'cannot be changed. Send commission_amount, or commission "by_terms"',
    params: { code: 'immutable_field' },
  })
  .pipe(
    z.literal('by_terms', {
      error: ({ input }) => `must be "by_terms", but was ${described(input)}`,
    }),
  )
  .meta({ type: 'string', const: 'by_terms' });

export const updateConversionSchema = patchWithReasonFor(
  ['status', 'refunded_amount', 'commission_amount', 'commission'],
  {
    status: z
      .enum(['approved', 'rejected', 'refunded'])
      .optional()
      .describe(
        '`approved` from any status, `rejected` from `pending` or `approved`, `refunded` from `approved`.',
      ),
    reason: readableText({ max: 500 })
      .optional()
      .describe(
        'Only together with `status`, `refunded_amount`, `commission_amount` or `commission`.',
      ),
    sale_amount: amountSchema
      .optional()
      .describe('In minor units. Only while the conversion is pending.'),
    refunded_amount: amountSchema
      .optional()
      .describe(
        'The sum of all refunds so far, in minor units, while the conversion is pending or approved. If it equals `sale_amount`, an approved conversion becomes refunded; reject a pending one instead. A lower amount than before needs `If-Match`.',
      ),
    commission_amount: amountSchema
      .nullable()
      .optional()
      .describe(
        'The commission, in minor units, instead of the amount under the terms. null returns to the terms that it was recorded with, or that it took later by `commission`. Not while the conversion is refunded.',
      ),
    commission: byTermsSchema
      .optional()
      .describe(
        'Computes the commission of a conversion that was recorded without terms (`no_terms`) by the terms in force now, which it keeps. Not while it is refunded, and not together with `commission_amount`.',
      ),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdateConversion',
  ['commission', 'commission_amount'],
).register(bodyExamples, { example: { status: 'approved' } });
export type UpdateConversion = z.infer<typeof updateConversionSchema>;
