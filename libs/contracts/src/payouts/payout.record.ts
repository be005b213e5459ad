import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { daySchema, instantSchema } from '../time.js';
import {
  createdAtSchema,
  objectOf,
  ownIdOf,
  recordCurrencySchema,
  recordMetadataSchema,
  revisionSchema,
  updatedAtSchema,
} from '../shared/record-fields.js';

export const payoutStatuses = ['created', 'processing', 'completed', 'failed', 'canceled'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The fields of a payout's record that never change. */
export const payoutDetails = {
  affiliate_id: idSchema('affiliate').describe('The affiliate who is paid.'),
  program_id: programIdSchema.describe('The program of the affiliate.'),
  balance_id: idSchema('balance').describe('The balance from which it takes its lines.'),
  run_id: idSchema('run').nullable().describe('The payout run that made it; null otherwise.'),
  currency: recordCurrencySchema,
  amount: z.int().min(1).describe('In minor units: the sum of its lines, whatever its status.'),
  entry_count: z.int().min(1).describe('The number of its lines.'),
  until: daySchema.describe(
    'The payout takes lines that were payable on or before this day (UTC).',
  ),
  description: z.string().nullable().describe('Its purpose; null if none was sent.'),
  payee_revision: z
    .int()
    .min(0)
    .describe("The affiliate's revision that last changed where its money is sent."),
  chain: z.string().describe("The head of the balance's hash chain when the payout was decided."),
};

/** The fields of a payout's record that can change. */
export const payoutFields = {
  status: z
    .enum(payoutStatuses)
    .describe('Refledger does not move money: `completed` means that the client has.'),
  reference: z
    .string()
    .nullable()
    .describe('The id that a bank or a payment provider gave the payment, or null.'),
  reason: z
    .string()
    .nullable()
    .describe('Why its status last changed; null if no reason was given.'),
  metadata: recordMetadataSchema,
  completed_at: instantSchema
    .nullable()
    .describe('When the money was sent; null until it was. It is kept if the payout fails later.'),
};

/** A payout as the API shows it. */
export const payoutSchema = z
  .strictObject({
    id: ownIdOf('payout'),
    object: objectOf('payout'),
    affiliate_id: payoutDetails.affiliate_id,
    program_id: payoutDetails.program_id,
    balance_id: payoutDetails.balance_id,
    run_id: payoutDetails.run_id,
    status: payoutFields.status,
    currency: payoutDetails.currency,
    amount: payoutDetails.amount,
    entry_count: payoutDetails.entry_count,
    until: payoutDetails.until,
    description: payoutDetails.description,
    reference: payoutFields.reference,
    reason: payoutFields.reason,
    metadata: payoutFields.metadata,
    payee_revision: payoutDetails.payee_revision,
    chain: payoutDetails.chain,
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    completed_at: payoutFields.completed_at,
    revision: revisionSchema,
  })
  .meta({
    id: 'Payout',
    example: {
      id: `pay_${'0'.repeat(25)}1`,
      object: 'payout',
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      program_id: 'prog_spring',
      balance_id: `bal_${'0'.repeat(25)}1`,
      run_id: null,
      status: 'completed',
      currency: 'USD',
      amount: 6000,
      entry_count: 4,
      until: '2026-01-31',
      description: null,
      reference: 'PP-8H7',
      reason: null,
      metadata: {},
      payee_revision: 0,
      chain: '41be9f2c41be9f2c41be9f2c41be9f2c41be9f2c41be9f2c41be9f2c41be9f2c',
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:35:00.000Z',
      completed_at: '2026-01-31T09:35:00.000Z',
      revision: 1,
    },
  });
export type PayoutRecord = z.infer<typeof payoutSchema>;
