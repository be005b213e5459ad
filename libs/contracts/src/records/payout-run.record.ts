import { z } from 'zod';
import { keysOf } from '../aggregates/aggregate.js';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { metadataRecordSchema } from '../text.js';
import { daySchema, instantSchema } from '../time.js';

export const payoutRunStatuses = ['running', 'finished'] as const;
/** The statuses that a run can give to all its payouts at once. */
export const markStatuses = ['processing', 'completed', 'canceled'] as const;
export type MarkStatus = (typeof markStatuses)[number];

const count = z.int().min(0);

/** How many balances a run skipped, by the first reason that held, in the order of the checks. */
const skippedSchema = z.strictObject({
  nothing_payable: count,
  not_approved: count,
  payout_hold: count,
  below_minimum: count,
  too_many_open_payouts: count,
  too_many_ranges: count,
});
export type Skipped = z.infer<typeof skippedSchema>;
/** Why a balance gets no payout from a run. */
export type SkipReason = keyof Skipped;
/** The reasons, in the order in which a run checks them. */
export const skipReasons = keysOf(skippedSchema.shape);

/** The fields of a run's record that never change. */
export const payoutRunDetails = {
  program_id: programIdSchema.nullable().describe('It pays only affiliates of this program.'),
  currency: z.string().nullable().describe('It pays only in this currency (ISO 4217).'),
  affiliate_ids: z
    .array(idSchema('affiliate'))
    .nullable()
    .describe('It pays only these affiliates.'),
  until: daySchema.describe(
    'Its payouts take lines that were payable on or before this day (UTC).',
  ),
  ignore_minimum: z.boolean(),
  position: z
    .string()
    .describe('It takes into account every event up to here, and perhaps later ones.'),
};

/** The fields of a run's record that can change. */
export const payoutRunFields = {
  status: z.enum(payoutRunStatuses),
  payouts: z.strictObject({
    created: count,
    skipped: skippedSchema.nullable().describe('null while the run is running.'),
  }),
  marks: z
    .array(
      z.strictObject({
        status: z.enum(markStatuses),
        at: instantSchema,
        applied_at: instantSchema.nullable().describe('When it was applied to the last payout.'),
        changed: count.describe('The payouts that it changed; 0 until it is applied.'),
        left: count.describe('The payouts that could not get this status; 0 until it is applied.'),
      }),
    )
    .describe('The statuses that were given to all its payouts, oldest first.'),
  description: z.string().nullable(),
  metadata: metadataRecordSchema,
  finished_at: instantSchema.nullable(),
};

/** A payout run as the API shows it. */
export const payoutRunSchema = z
  .strictObject({
    id: idSchema('run'),
    object: z.literal('payout_run'),
    status: payoutRunFields.status,
    program_id: payoutRunDetails.program_id,
    currency: payoutRunDetails.currency,
    affiliate_ids: payoutRunDetails.affiliate_ids,
    until: payoutRunDetails.until,
    ignore_minimum: payoutRunDetails.ignore_minimum,
    payouts: payoutRunFields.payouts,
    totals: z
      .array(
        z.strictObject({
          currency: z.string(),
          payouts: z.int().min(1),
          amount: z.coerce
            .bigint()
            .describe('In the minor unit of the currency; an integer of any size.')
            .meta({ minimum: 1 }),
        }),
      )
      .describe('What its payouts add up to, whatever their status.'),
    marks: payoutRunFields.marks,
    position: payoutRunDetails.position,
    description: payoutRunFields.description,
    metadata: payoutRunFields.metadata,
    created_at: instantSchema,
    finished_at: payoutRunFields.finished_at,
    revision: z.int().min(0),
  })
  .meta({
    id: 'PayoutRun',
    example: {
      id: `run_${'0'.repeat(25)}1`,
      object: 'payout_run',
      status: 'finished',
      program_id: null,
      currency: 'USD',
      affiliate_ids: null,
      until: '2026-01-31',
      ignore_minimum: false,
      payouts: {
        created: 812,
        skipped: {
          nothing_payable: 40,
          not_approved: 3,
          payout_hold: 1,
          below_minimum: 133,
          too_many_open_payouts: 0,
          too_many_ranges: 0,
        },
      },
      totals: [{ currency: 'USD', payouts: 812, amount: 4123400 }],
      marks: [
        {
          status: 'processing',
          at: '2026-02-01T10:00:00.000Z',
          applied_at: '2026-02-01T10:00:03.000Z',
          changed: 812,
          left: 0,
        },
      ],
      position: '48123',
      description: 'January 2026',
      metadata: {},
      created_at: '2026-02-01T09:30:00.000Z',
      finished_at: '2026-02-01T09:30:04.000Z',
      revision: 3,
    },
  });
export type PayoutRunRecord = z.infer<typeof payoutRunSchema>;
