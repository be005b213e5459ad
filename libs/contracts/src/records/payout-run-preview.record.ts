import { z } from 'zod';
import { daySchema } from '../time.js';

/** A sum in the minor unit of the currency. It is a JSON integer of any size. */
const sumSchema = z.bigint();

const balancesSchema = z.strictObject({ balances: z.int().min(0), amount: sumSchema });

/** What a payout run would pay now, as the API shows it. */
export const payoutRunPreviewSchema = z
  .strictObject({
    object: z.literal('payout_run_preview'),
    until: daySchema.describe(
      'Its payouts would take lines that are payable on or before this day (UTC).',
    ),
    totals: z
      .array(
        z.strictObject({
          currency: z.string(),
          payouts: z.int().min(0).describe('The payouts that the run would make.'),
          amount: sumSchema.describe('What they add up to, in the minor unit of the currency.'),
          nothing_payable: balancesSchema.describe(
            'The open balances with nothing payable; every other open balance counts under the first reason that holds.',
          ),
          negative: balancesSchema.describe('Those of `nothing_payable` that are below 0.'),
          not_approved: balancesSchema,
          payout_hold: balancesSchema,
          below_minimum: balancesSchema,
          too_many_open_payouts: balancesSchema,
          too_many_ranges: balancesSchema,
          payee_changed: balancesSchema.describe(
            'Those of `payouts` that a file for a provider would refuse, because the recipient has changed since the affiliate was last paid.',
          ),
        }),
      )
      .describe('One row per currency in which a balance is open.'),
    position: z.string().describe('It takes into account every event up to here.'),
    has_more: z.boolean().describe('Whether it stopped at 10,000 balances, and others follow.'),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'PayoutRunPreview' });
export type PayoutRunPreview = z.infer<typeof payoutRunPreviewSchema>;
