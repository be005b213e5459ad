import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { daySchema, instantSchema, monthSchema } from '../time.js';
import { entryKinds } from './entry.record.js';

/** A sum in the minor unit of the currency. It is a JSON integer of any size. */
const sumSchema = z.bigint();

const statementLineSchema = z
  .strictObject({
    at: instantSchema,
    kind: z.enum([...entryKinds, 'paid', 'returned']),
    amount: sumSchema.describe('Negative if less is owed after it.'),
    entry_id: idSchema('entry').optional().describe('Of an entry.'),
    conversion_id: idSchema('conversion').optional(),
    adjustment_id: idSchema('adjustment').optional(),
    description: z.string().optional().describe('Of an adjustment.'),
    payable_on: daySchema.optional().describe('Of an entry.'),
    payout_id: idSchema('payout').optional().describe('Of `paid` and `returned`.'),
  })
  .meta({ id: 'StatementLine' });
export type StatementLine = z.infer<typeof statementLineSchema>;

const period = {
  from: instantSchema,
  to: instantSchema.describe('Excludes this instant.'),
  final: z
    .boolean()
    .describe(
      'Whether the month is over and something was recorded after it: the statement never changes again.',
    ),
};

/** The statement of a balance for one month as the API shows it. */
export const statementSchema = z
  .strictObject({
    object: z.literal('statement'),
    balance_id: idSchema('balance'),
    affiliate_id: idSchema('affiliate'),
    currency: z.string(),
    ...period,
    opening: sumSchema.describe('What was owed at the beginning.'),
    commission: sumSchema,
    correction: sumSchema,
    reversal: sumSchema,
    adjustment: sumSchema.describe('Includes adjustments that were voided.'),
    paid: sumSchema.describe('The payouts that were completed; 0 or less.'),
    returned: sumSchema.describe('The payouts that failed after they were completed.'),
    closing: sumSchema.describe('What was owed at the end: `opening` and all sums.'),
    chain: z.string().describe('The head of the hash chain at the end.'),
    data: z.array(statementLineSchema),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Statement' });
export type StatementRecord = z.infer<typeof statementSchema>;

/** The totals of the statements of all balances for one month as the API shows them. */
export const statementSummarySchema = z
  .strictObject({
    object: z.literal('statement_summary'),
    month: monthSchema,
    ...period,
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        opening: sumSchema,
        earned: sumSchema.describe('`commission`, `correction` and `reversal` of the statements.'),
        adjusted: sumSchema,
        paid: sumSchema.describe('`paid` and `returned` of the statements.'),
        closing: sumSchema,
        balances: z.int().min(1).describe('The balances with an entry by the end of the month.'),
      }),
    ),
    position: z.string().describe('These figures reflect the log at least up to this position.'),
  })
  .meta({ id: 'StatementSummary' });
export type StatementSummary = z.infer<typeof statementSummarySchema>;
