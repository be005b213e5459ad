import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { daySchema, instantSchema, monthSchema } from '../time.js';
import { entryKinds } from '../balances/entry.record.js';
import {
  hasMoreSchema,
  nextCursorSchema,
  objectOf,
  recordCurrencySchema,
  sumOf,
} from '../shared/record-fields.js';

const statementLineSchema = z
  .strictObject({
    at: instantSchema.describe('When it was posted, which decides the month.'),
    kind: z
      .enum([...entryKinds, 'paid', 'returned'])
      .describe(
        'The type of an entry, or `paid`: a payout was completed; `returned`: it failed after that.',
      ),
    amount: sumOf('Negative if less is owed after it.'),
    entry_id: idSchema('entry').optional().describe('Of an entry.'),
    conversion_id: idSchema('conversion').optional().describe('Of an entry of a conversion.'),
    adjustment_id: idSchema('adjustment').optional().describe('Of an entry of an adjustment.'),
    description: z.string().optional().describe('Of an adjustment.'),
    payable_on: daySchema
      .optional()
      .describe('Of an entry: the day (UTC) from which it is payable.'),
    payout_id: idSchema('payout').optional().describe('Of `paid` and `returned`.'),
  })
  .meta({ id: 'StatementLine' });
export type StatementLine = z.infer<typeof statementLineSchema>;

const period = {
  from: instantSchema.describe('The start of the month (UTC).'),
  to: instantSchema.describe('The end of the month (UTC), which it excludes.'),
  final: z
    .boolean()
    .describe(
      'Whether the month is over and something was recorded after it: the statement never changes again.',
    ),
};

/** The statement of a balance for one month as the API shows it. */
export const statementSchema = z
  .strictObject({
    object: objectOf('statement'),
    balance_id: idSchema('balance').describe('The balance of this statement.'),
    affiliate_id: idSchema('affiliate').describe('The affiliate of the balance.'),
    currency: recordCurrencySchema,
    ...period,
    opening: sumOf('The amount owed at the start.'),
    commission: sumOf('Commissions that were not owed previously.'),
    correction: sumOf('Changes of commissions while they were owed.'),
    reversal: sumOf('Commissions that are no longer owed; 0 or less.'),
    adjustment: sumOf('Adjustments, including voided ones.'),
    paid: sumOf('The payouts that were completed; 0 or less.'),
    returned: sumOf('The payouts that failed after they were completed.'),
    closing: sumOf('The amount owed at the end: `opening` plus all sums.'),
    chain: z.string().describe('The head of the hash chain at the end.'),
    data: z.array(statementLineSchema).describe('The lines of the month, oldest first.'),
    has_more: hasMoreSchema,
    next_cursor: nextCursorSchema,
  })
  .meta({ id: 'Statement' });
export type StatementRecord = z.infer<typeof statementSchema>;

/** The totals of the statements of all balances for one month as the API shows them. */
export const statementSummarySchema = z
  .strictObject({
    object: objectOf('statement_summary'),
    month: monthSchema.describe('The month (UTC).'),
    ...period,
    currencies: z
      .array(
        z.strictObject({
          currency: recordCurrencySchema,
          opening: sumOf('The amount owed at the start.'),
          earned: sumOf('`commission`, `correction` and `reversal` of the statements.'),
          adjusted: sumOf('`adjustment` of the statements.'),
          paid: sumOf('`paid` and `returned` of the statements.'),
          closing: sumOf('The amount owed at the end.'),
          balances: z.int().min(1).describe('The balances with an entry by the end of the month.'),
        }),
      )
      .describe('One row per currency with an entry by the end of the month.'),
    position: z.string().describe('These figures reflect the log at least up to this position.'),
  })
  .meta({ id: 'StatementSummary' });
export type StatementSummary = z.infer<typeof statementSummarySchema>;
