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
        payable: sumSchema.describe('The total of the positive payable amounts.'),
        negative: sumSchema.describe('The total of the negative payable amounts.'),
        in_payout: sumSchema,
        balances: z.int().min(1).describe('The number of open balances.'),
      }),
    ),
    position: z.string().describe('These figures reflect the log at least up to this position.'),
  })
  .meta({ id: 'BalanceSummary' });
export type BalanceSummary = z.infer<typeof balanceSummarySchema>;
