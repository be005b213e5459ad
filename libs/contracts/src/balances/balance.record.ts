import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { daySchema } from '../time.js';
import { skipReasons } from '../payout-runs/payout-run.record.js';
import {
  countOf,
  createdAtSchema,
  objectOf,
  ownIdOf,
  recordCurrencySchema,
  sumOf,
  updatedAtSchema,
} from '../shared/record-fields.js';

/** A balance as the API shows it. */
export const balanceSchema = z
  .strictObject({
    id: ownIdOf('balance'),
    object: objectOf('balance'),
    affiliate_id: idSchema('affiliate').describe('The affiliate who is owed this.'),
    program_id: programIdSchema.describe('The program of the affiliate.'),
    currency: recordCurrencySchema,
    earned: sumOf('The sum of the entries that conversions caused.'),
    adjusted: sumOf('The sum of the entries that adjustments caused.'),
    held: sumOf('The sum of the open entries that become payable after `on`.'),
    payable: sumOf('The sum of the other open entries. It may be negative.'),
    in_payout: sumOf('The sum of its payouts that are `created` or `processing`.'),
    paid: sumOf(
      'The sum of its completed payouts: the money that was sent. A later refund does not change it, but lowers `payable`. `commission_amount.paid` of the statistics is what the paid conversions earn now.',
    ),
    on: daySchema.describe('The day (UTC) that separates payable from held.'),
    schedule: z
      .array(
        z.strictObject({
          payable_on: daySchema.describe('A day (UTC) after `on`.'),
          amount: sumOf('The amount that becomes payable on this day.'),
        }),
      )
      .describe('`held`, by day.'),
    minimum: z
      .int()
      .nullable()
      .describe("The program's minimum payout, in minor units; null if there is none."),
    eligible: z.boolean().describe('Whether a payout run would pay it now.'),
    not_eligible: z
      .array(z.enum(skipReasons))
      .describe('Why a payout run would not pay it; empty if it would.'),
    entries: countOf('How many entries it has had so far.'),
    chain: z.string().describe('The head of the hash chain of its events.'),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    position: z.string().describe('The position in the log that these figures reflect.'),
  })
  .meta({ id: 'Balance' });
export type BalanceRecord = z.infer<typeof balanceSchema>;
