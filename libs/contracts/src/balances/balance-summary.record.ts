import { z } from 'zod';
import { daySchema } from '../time.js';
import { objectOf, recordCurrencySchema, sumOf } from '../shared/record-fields.js';

/** The totals of the open balances as the API shows them. */
export const balanceSummarySchema = z
  .strictObject({
    object: objectOf('balance_summary'),
    on: daySchema.describe('The day (UTC) that separates payable from held.'),
    currencies: z
      .array(
        z.strictObject({
          currency: recordCurrencySchema,
          held: sumOf('The total that becomes payable after `on`.'),
          payable: sumOf('The total of the positive payable amounts.'),
          negative: sumOf('The total of the negative payable amounts; 0 or less.'),
          in_payout: sumOf('The total in payouts that are `created` or `processing`.'),
          balances: z.int().min(1).describe('The number of open balances.'),
        }),
      )
      .describe('One row per currency in which a balance is open.'),
    position: z.string().describe('These figures reflect the log at least up to this position.'),
  })
  .meta({ id: 'BalanceSummary' });
export type BalanceSummary = z.infer<typeof balanceSummarySchema>;
