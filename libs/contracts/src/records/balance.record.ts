import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { daySchema, instantSchema } from '../time.js';
import { skipReasons } from './payout-run.record.js';

/** A sum in the minor unit of the balance's currency. It is a JSON integer of any size. */
const sumSchema = z.bigint();

/** A balance as the API shows it. */
export const balanceSchema = z
  .strictObject({
    id: idSchema('balance'),
    object: z.literal('balance'),
    affiliate_id: idSchema('affiliate'),
    program_id: programIdSchema,
    currency: z.string(),
    earned: sumSchema.describe('The sum of the entries that conversions caused.'),
    adjusted: sumSchema.describe('The sum of the entries that adjustments caused.'),
    held: sumSchema.describe('The sum of the open entries that become payable after `on`.'),
    payable: sumSchema.describe('The sum of the other open entries. It may be negative.'),
    in_payout: sumSchema.describe('The sum of its payouts that are `created` or `processing`.'),
    paid: sumSchema.describe(
      'The sum of its completed payouts: the money that was sent. A later refund does not change it, but lowers `payable`. `commission_amount.paid` of the statistics is what the paid conversions earn now.',
    ),
    on: daySchema.describe('The day (UTC) that separates payable from held.'),
    schedule: z
      .array(z.strictObject({ payable_on: daySchema, amount: sumSchema }))
      .describe('`held`, by day.'),
    minimum: z
      .int()
      .nullable()
      .describe("The program's minimum payout in this currency; null if there is none."),
    eligible: z.boolean().describe('Whether a payout run would pay it now.'),
    not_eligible: z
      .array(z.enum(skipReasons))
      .describe('Why a payout run would not pay it; empty if it would.'),
    entries: z.int().min(0),
    chain: z.string().describe('The head of the hash chain of its events.'),
    created_at: instantSchema,
    updated_at: instantSchema,
    position: z.string().describe('The position in the log that these figures reflect.'),
  })
  .meta({ id: 'Balance' });
export type BalanceRecord = z.infer<typeof balanceSchema>;
