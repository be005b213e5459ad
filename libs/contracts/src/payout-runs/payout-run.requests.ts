import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { integerText } from '../integer.js';
import { currencySchema } from '../money.js';
import { markStatuses } from './payout-run.record.js';
import { metadataSchema, readableText } from '../text.js';
import { dayInputSchema, instantInputSchema } from '../time.js';
import { patchOf } from '../shared/patch.js';

/** The body of a request to pay everyone who can be paid, or to see what that would pay. */
export const createPayoutRunSchema = z
  .strictObject({
    program_id: programIdSchema.optional().describe('Pays only affiliates of this program.'),
    currency: currencySchema.optional().describe('Pays only in this currency.'),
    affiliate_ids: z
      .array(idSchema('affiliate'))
      .min(1)
      .max(1_000)
      .optional()
      .describe('Pays only these affiliates.'),
    until: dayInputSchema
      .optional()
      .describe(
        'Takes every open entry that is payable on or before this day (UTC), which must not be in the future. Default: today.',
      ),
    ignore_minimum: z.boolean().optional().describe("Also pays amounts below a program's minimum."),
    description: readableText({ max: 500 })
      .optional()
      .describe('Its purpose, copied to its payouts.')
      .meta({ example: 'January 2026' }),
    metadata: metadataSchema.optional(),
    preview: z
      .boolean()
      .optional()
      .describe(
        'Returns what the run would pay now, and records nothing. `Idempotency-Key` is then ignored.',
      ),
    cursor: z
      .string()
      .optional()
      .describe(
        'Only together with `preview`: the `next_cursor` of a preview that stopped at 10,000 balances. It continues after them.',
      ),
  })
  .refine(({ preview, cursor }) => cursor === undefined || preview === true, {
    error: 'is accepted only together with preview. Send preview with the value true',
    path: ['cursor'],
    params: { code: 'without_preview' },
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    id: 'CreatePayoutRun',
    dependentSchemas: {
      cursor: {
        type: 'object',
        properties: { preview: { const: true } },
        required: ['preview'],
      },
    },
  })
  .register(bodyExamples, { example: { currency: 'USD', description: 'January 2026' } });
/** A payout run as a client asks for it. */
export type NewPayoutRun = Omit<z.infer<typeof createPayoutRunSchema>, 'preview' | 'cursor'>;

/** The body of a request to change a payout run, or to mark all of its payouts. */
export const updatePayoutRunSchema = patchOf(
  {
    status: z
      .enum(markStatuses)
      .optional()
      .describe(
        'Gives this status to every payout of the run that can get it. While the run is running, only `canceled` is accepted: the run then pays no one else, and cancels the payouts that it has made.',
      ),
    reason: readableText({ min: 1, max: 500 }).optional().describe('Only together with `status`.'),
    completed_at: instantInputSchema
      .optional()
      .describe('When the money was sent; only with status `completed`. Default: now.'),
    description: readableText({ max: 500 }).optional().describe('Its payouts keep theirs.'),
    metadata: metadataSchema.optional().describe('Replaces the whole metadata.'),
  },
  'UpdatePayoutRun',
).register(bodyExamples, { example: { status: 'completed' } });
export type UpdatePayoutRun = z.infer<typeof updatePayoutRunSchema>;

const payoutFileFormats = ['csv', 'paypal'] as const;
export type PayoutFileFormat = (typeof payoutFileFormats)[number];

export const payoutFileQuerySchema = z.strictObject({
  format: z
    .enum(payoutFileFormats)
    .describe(
      '`csv`: for review, with a header, payouts that are `created` or `processing`. `paypal`: for PayPal Payouts Web, payouts that are `processing`.',
    ),
  currency: currencySchema
    .optional()
    .describe('Required if the run has payouts in several currencies.'),
  part: integerText(/^[1-9]\d{0,5}$/, 'must be the number of a part, from 1')
    .optional()
    .describe('A PayPal file has at most 5,000 rows. Default: the first part.'),
  accept_changed_payees: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether a provider file may pay affiliates who have changed where money is sent.'),
});
