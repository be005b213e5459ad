import { z } from 'zod';
import { daySchema } from '../time.js';
import { skipTexts } from './payout-run.record.js';
import { countOf, objectOf, recordCurrencySchema, sumOf } from '../shared/record-fields.js';

const balancesSchema = z.strictObject({
  balances: countOf('How many balances these are.'),
  amount: sumOf('The sum of their payable amounts.'),
});

/** The payments that a payout run would make now, as the API shows them. */
export const payoutRunPreviewSchema = z
  .strictObject({
    object: objectOf('payout_run_preview'),
    until: daySchema.describe(
      'Its payouts would take lines that are payable on or before this day (UTC).',
    ),
    totals: z
      .array(
        z.strictObject({
          currency: recordCurrencySchema,
          payouts: countOf('The payouts that the run would make.'),
          amount: sumOf('Their sum.'),
          nothing_payable: balancesSchema.describe(
            'The open balances with nothing payable; every other open balance counts under the first reason that holds.',
          ),
          negative: balancesSchema.describe('Balances in `nothing_payable` that are below 0.'),
          not_approved: balancesSchema.describe(skipTexts.not_approved),
          payout_hold: balancesSchema.describe(skipTexts.payout_hold),
          below_minimum: balancesSchema.describe(skipTexts.below_minimum),
          too_many_open_payouts: balancesSchema.describe(skipTexts.too_many_open_payouts),
          too_many_ranges: balancesSchema.describe(skipTexts.too_many_ranges),
          payee_changed: balancesSchema.describe(
            'Payouts in `payouts` that a file for a provider would refuse, because the recipient has changed since the affiliate was last paid.',
          ),
        }),
      )
      .describe('One row per currency in which a balance is open.'),
    position: z.string().describe('It takes into account every event up to here.'),
    has_more: z.boolean().describe('Whether it stopped at 10,000 balances, and others follow.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('The `cursor` of a preview that continues there; null if there is nothing more.'),
  })
  .meta({ id: 'PayoutRunPreview' });
export type PayoutRunPreview = z.infer<typeof payoutRunPreviewSchema>;
