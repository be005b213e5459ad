import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import { objectOf, payableOnSchema, recordCurrencySchema } from '../shared/record-fields.js';

export const entryKinds = [
  'commission',
  'correction',
  'reversal',
  'adjustment',
  'adjustment_void',
] as const;
export const entryKindSchema = z
  .enum(entryKinds)
  .describe(
    '`commission`: a conversion is owed from now on. `correction`: another amount is owed. `reversal`: nothing is owed any more. `adjustment`, `adjustment_void`: an adjustment, and its end.',
  );
export type EntryKind = (typeof entryKinds)[number];

/** An entry of a balance as the API shows it. */
export const entrySchema = z
  .strictObject({
    id: idSchema('entry').describe('Derived from `balance_id` and `number`.'),
    object: objectOf('entry'),
    number: z
      .int()
      .min(1)
      .describe('The number of the entry within its balance: 1, 2, 3 and so on.'),
    balance_id: idSchema('balance').describe('The balance of the entry.'),
    affiliate_id: idSchema('affiliate').describe('The affiliate of the balance.'),
    program_id: programIdSchema.describe('The program of the affiliate.'),
    currency: recordCurrencySchema.describe('The currency of the balance: ISO 4217, upper case.'),
    kind: entryKindSchema,
    amount: z.int().describe('In minor units, never 0. Negative if less is owed.'),
    payable_on: payableOnSchema,
    conversion_id: idSchema('conversion')
      .nullable()
      .describe('The conversion that caused it; null for an adjustment.'),
    adjustment_id: idSchema('adjustment')
      .nullable()
      .describe('The adjustment that caused it; null for a conversion.'),
    description: z.string().nullable().describe('Of the adjustment; null for a conversion.'),
    payout_id: idSchema('payout')
      .nullable()
      .describe('The payout that has it, unless it failed or was canceled; null while it is open.'),
    caused_by: idSchema('event').describe('The event that caused it.'),
    posted_at: instantSchema.describe('Decides the month of its statement.'),
    created_at: instantSchema.describe('When the ledger recorded it.'),
    position: z.string().describe('Its position in the log. Lists are in this order.'),
  })
  .meta({
    id: 'Entry',
    example: {
      id: `ent_${'0'.repeat(25)}1`,
      object: 'entry',
      number: 1,
      balance_id: `bal_${'0'.repeat(25)}1`,
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      program_id: 'prog_spring',
      currency: 'USD',
      kind: 'commission',
      amount: 4000,
      payable_on: '2026-03-02',
      conversion_id: `conv_${'0'.repeat(25)}1`,
      adjustment_id: null,
      description: null,
      payout_id: null,
      caused_by: `evt_${'0'.repeat(25)}1`,
      posted_at: '2026-01-31T09:30:00.000Z',
      created_at: '2026-01-31T09:30:00.010Z',
      position: '1234',
    },
  });
export type EntryRecord = z.infer<typeof entrySchema>;
