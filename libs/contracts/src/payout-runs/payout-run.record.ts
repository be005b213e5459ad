import { z } from 'zod';
import { keysOf } from '../keys-of.js';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { daySchema, instantSchema } from '../time.js';
import {
  countOf,
  createdAtSchema,
  objectOf,
  ownIdOf,
  recordCurrencySchema,
  recordMetadataSchema,
  revisionSchema,
} from '../shared/record-fields.js';

export const payoutRunStatuses = ['running', 'finished'] as const;
/** The statuses that a run can give to all its payouts together. */
export const markStatuses = ['processing', 'completed', 'canceled'] as const;
export type MarkStatus = (typeof markStatuses)[number];

/** The balances that get no payout from a run, by the reason, in the order of the checks. */
export const skipTexts = {
  nothing_payable: 'Open balances of which 0 or less is payable.',
  not_approved: 'Balances of affiliates that are not approved, or were deleted.',
  payout_hold: 'Balances of affiliates with `payout_hold`.',
  below_minimum: "Balances of which less than the program's minimum is payable.",
  too_many_open_payouts: 'Balances with 100 payouts that are `created` or `processing`.',
  too_many_ranges:
    'Balances that one payout cannot take as a whole; `POST /v1/payouts` takes a part with `partial`.',
} as const;
/** Why a balance gets no payout from a run. */
export type SkipReason = keyof typeof skipTexts;
/** The reasons, in the order in which a run checks them. */
export const skipReasons = keysOf(skipTexts);

/** How many balances a run skipped, by the first reason that held. */
const skippedSchema = z.strictObject({
  nothing_payable: countOf(skipTexts.nothing_payable),
  not_approved: countOf(skipTexts.not_approved),
  payout_hold: countOf(skipTexts.payout_hold),
  below_minimum: countOf(skipTexts.below_minimum),
  too_many_open_payouts: countOf(skipTexts.too_many_open_payouts),
  too_many_ranges: countOf(skipTexts.too_many_ranges),
} satisfies Readonly<Record<SkipReason, z.ZodType>>);
export type SkippedBalances = z.infer<typeof skippedSchema>;

/** The fields of a run's record that never change. */
export const payoutRunDetails = {
  program_id: programIdSchema
    .nullable()
    .describe('It pays only affiliates of this program; null: of all.'),
  currency: z
    .string()
    .nullable()
    .describe('It pays only in this currency (ISO 4217); null: in all.'),
  affiliate_ids: z
    .array(idSchema('affiliate'))
    .nullable()
    .describe('It pays only these affiliates; null: all.'),
  until: daySchema.describe(
    'Its payouts take lines that were payable on or before this day (UTC).',
  ),
  ignore_minimum: z.boolean().describe("true: it also pays amounts below a program's minimum."),
  position: z
    .string()
    .describe('It takes into account every event up to here, and perhaps later ones.'),
};

/** The fields of a run's record that can change. */
export const payoutRunFields = {
  status: z
    .enum(payoutRunStatuses)
    .describe('`finished`: all its payouts are made; these may have any status.'),
  payouts: z
    .strictObject({
      created: countOf('The payouts that it has made so far.'),
      skipped: skippedSchema
        .nullable()
        .describe(
          'The balances without a payout, by the first reason that holds; null while the run is running.',
        ),
    })
    .describe('The balances that it paid, and the others.'),
  marks: z
    .array(
      z.strictObject({
        status: z.enum(markStatuses).describe('The status that was sent.'),
        at: instantSchema.describe('When it was sent.'),
        applied_at: instantSchema
          .nullable()
          .describe('When it was applied to the last payout; null until then.'),
        changed: countOf('The payouts that it changed; 0 until it is applied.'),
        left: countOf('The payouts that could not get this status; 0 until it is applied.'),
      }),
    )
    .describe('The statuses that were given to all its payouts, oldest first.'),
  description: z
    .string()
    .nullable()
    .describe('Its purpose, copied to its payouts. null if none was sent.'),
  metadata: recordMetadataSchema,
  finished_at: instantSchema.nullable().describe('When it was finished; null while it is running.'),
};

/** A payout run as the API shows it. */
export const payoutRunSchema = z
  .strictObject({
    id: ownIdOf('run'),
    object: objectOf('payout_run'),
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
          currency: recordCurrencySchema,
          payouts: z.int().min(1).describe('How many payouts it has made in this currency.'),
          amount: z.coerce.bigint().describe('Their sum, in minor units.').meta({ minimum: 1 }),
        }),
      )
      .describe('The sum of its payouts, whatever their status.'),
    marks: payoutRunFields.marks,
    position: payoutRunDetails.position,
    description: payoutRunFields.description,
    metadata: payoutRunFields.metadata,
    created_at: createdAtSchema,
    finished_at: payoutRunFields.finished_at,
    revision: revisionSchema,
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
