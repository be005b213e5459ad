import { z } from 'zod';
import { daySchema } from '../time.js';

/** A sum in the minor unit of the currency. It is a JSON integer of any size. */
const sumSchema = z.bigint();

/** The totals of the open balances as the API shows them. */
export const balanceSummarySchema = z
  .strictObject({
    object: z.literal('balance_summary'),
    on: daySchema.describe('The day (UTC) that separates payable from held.'),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        held: sumSchema,
        payable: sumSchema.describe('The sum of those that are positive.'),
        negative: sumSchema.describe('The sum of those that are negative.'),
        in_payout: sumSchema,
        balances: z.int().min(1).describe('How many are open.'),
      }),
    ),
    position: z.string().describe('The position in the log that these figures reflect at least.'),
  })
  .meta({ id: 'BalanceSummary' });
export type BalanceSummary = z.infer<typeof balanceSummarySchema>;
