import { z } from 'zod';
import { currencySchema, normaliseCurrency } from '../money.js';
import { adjustmentStatuses } from '../records/adjustment.record.js';
import { entryKinds } from '../records/entry.record.js';
import { payoutStatuses } from '../records/payout.record.js';
import { payoutRunStatuses } from '../records/payout-run.record.js';
import { dayParameterSchema, instantParameterSchema } from '../time.js';
import { idFilter, listQuery, pageQuery, type ListSpec } from './list-spec.js';

/** The indexes of a list that is filtered by affiliate, program, status and currency. */
const byPayee = [
  { by: ['affiliate_id'], lowCardinality: ['program_id', 'status', 'currency'] },
  { by: ['affiliate_id'], lowCardinality: [] },
  { by: ['program_id'], lowCardinality: ['status', 'currency'] },
  { by: ['program_id'], lowCardinality: [] },
  { by: [], lowCardinality: ['status', 'currency'] },
  { by: [], lowCardinality: [] },
] as const satisfies ListSpec['indexes'];

/** The list of adjustments. */
export const adjustmentList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    currency: currencySchema.optional(),
    status: z.enum(adjustmentStatuses).optional(),
  }),
  compared: { currency: (code) => ['currency', normaliseCurrency(code)] },
  indexes: byPayee,
} as const satisfies ListSpec;

const completionSchema = instantParameterSchema
  .optional()
  .describe(
    'Excludes this instant. The list is then sorted by `completed_at`, in the direction of `sort`.',
  );

/** The list of payouts. */
export const payoutList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    run_id: idFilter('run'),
    status: z.enum(payoutStatuses).optional(),
    currency: currencySchema.optional(),
    completed_after: completionSchema,
    completed_before: completionSchema,
  }),
  compared: {
    currency: (code) => ['currency', normaliseCurrency(code)],
    completed_after: null,
    completed_before: null,
  },
  indexes: [
    {
      by: ['run_id', 'affiliate_id'],
      lowCardinality: ['program_id', 'status', 'currency'],
      sparse: ['run_id'],
    },
    {
      by: ['run_id', 'program_id'],
      lowCardinality: ['status', 'currency'],
      sparse: ['run_id'],
    },
    { by: ['run_id'], lowCardinality: ['status', 'currency'], sparse: ['run_id'] },
    { by: ['run_id'], lowCardinality: [], sparse: ['run_id'] },
    ...byPayee,
  ],
} as const satisfies ListSpec;

/** The list of payout runs. */
export const payoutRunList = {
  query: z.strictObject({ ...listQuery, status: z.enum(payoutRunStatuses).optional() }),
  compared: {},
  indexes: [
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The query parameter of everything that shows a balance. */
export const onQuery = {
  on: dayParameterSchema
    .optional()
    .describe(
      'The day (UTC) that separates payable from held: today, which is the default, or a later day. With `as_of`, today is the day of that time or position.',
    ),
};

/** The list of balances. */
export const balanceList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    currency: currencySchema.optional(),
    open: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` lists only balances with an amount that is held, payable or in a payout.'),
    ...onQuery,
  }),
  compared: {
    currency: (code) => ['currency', normaliseCurrency(code)],
    open: (value) => ['is_open', value === 'true'],
    on: null,
  },
  indexes: [
    // an affiliate has one balance per currency
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['currency', 'is_open'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['currency', 'is_open'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/**
 * The list of entries. Their order is that of the log. It is not always that of their times, since
 * clocks differ, so no index could serve time bounds.
 */
export const entryList = {
  query: z.strictObject({
    ...pageQuery,
    sort: z
      .enum(['position', '-position'])
      .optional()
      .describe('Default `-position`: newest first.'),
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    currency: currencySchema.optional(),
    kind: z.enum(entryKinds).optional(),
    conversion_id: idFilter('conversion'),
    adjustment_id: idFilter('adjustment'),
  }),
  order: ['position'],
  compared: { currency: (code) => ['currency', normaliseCurrency(code)] },
  indexes: [
    // an adjustment has at most two entries, and a conversion no more than it has revisions
    { by: ['adjustment_id'], lowCardinality: [], sparse: ['adjustment_id'] },
    { by: ['conversion_id'], lowCardinality: [] },
    { by: ['affiliate_id'], lowCardinality: ['program_id', 'currency', 'kind'] },
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['currency', 'kind'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['currency', 'kind'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
