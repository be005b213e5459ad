import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { daySchema, instantSchema } from '../time.js';

export const entryKinds = [
  'commission',
  'correction',
  'reversal',
  'adjustment',
  'adjustment_void',
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** An entry of a balance as the API shows it. */
export const entrySchema = z
  .strictObject({
    id: idSchema('entry'),
    object: z.literal('entry'),
    number: z
      .int()
      .min(1)
      .describe('The number of the entry within its balance: 1, 2, 3 and so on.'),
    balance_id: idSchema('balance'),
    affiliate_id: idSchema('affiliate'),
    program_id: programIdSchema,
    currency: z.string(),
    kind: z.enum(entryKinds),
    amount: z.int().describe('In the minor unit of the currency. Negative if less is owed.'),
    payable_on: daySchema,
    conversion_id: idSchema('conversion').nullable(),
    adjustment_id: idSchema('adjustment').nullable(),
    description: z.string().nullable(),
    payout_id: idSchema('payout').nullable(),
    caused_by: idSchema('event').describe('The event that caused it.'),
    posted_at: instantSchema.describe('Decides the month of its statement.'),
    created_at: instantSchema,
    position: z.string(),
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
