import { z } from 'zod';
import { normaliseCurrency } from '../money.js';
import { adjustmentStatuses } from '../adjustments/adjustment.record.js';
import { entryKinds } from '../balances/entry.record.js';
import { payoutStatuses } from '../payouts/payout.record.js';
import { payoutRunStatuses, skipReasons } from '../payout-runs/payout-run.record.js';
import { dayParameterSchema, instantParameterSchema } from '../time.js';
import {
  choiceFilter,
  createdBounds,
  createdQuery,
  currencyFilter,
  idFilter,
  isBoundedByCreation,
  listQuery,
  pageQuery,
  refusing,
  withCreatedBounds,
  type ListSpec,
} from '../shared/list-spec.js';

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
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      affiliate_id: idFilter('affiliate'),
      program_id: idFilter('program'),
      currency: currencyFilter,
      status: choiceFilter('status', adjustmentStatuses),
    }),
  ),
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
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      affiliate_id: idFilter('affiliate'),
      program_id: idFilter('program'),
      run_id: idFilter('run'),
      status: choiceFilter('status', payoutStatuses),
      currency: currencyFilter,
      completed_after: completionSchema,
      completed_before: completionSchema,
    }),
  ),
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
  query: withCreatedBounds(
    z.strictObject({ ...listQuery, status: choiceFilter('status', payoutRunStatuses) }),
  ),
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
  query: withCreatedBounds(
    z
      .strictObject({
        ...listQuery,
        affiliate_id: idFilter('affiliate'),
        program_id: idFilter('program'),
        currency: currencyFilter,
        open: z
          .enum(['true', 'false'])
          .optional()
          .describe(
            '`true` lists only balances with an amount that is held, payable or in a payout.',
          ),
        not_eligible: z
          .enum(skipReasons)
          .optional()
          .describe(
            'Only balances that a payout run would not pay now for this reason, even if it is not the first. Needs `open=true`. A page looks at up to 1,000 balances, so it may have fewer than `limit` while `has_more` is true.',
          ),
        ...onQuery,
      })
      .refine(
        ...refusing(
          'not_eligible',
          ({ not_eligible, open }) => not_eligible !== undefined && open !== 'true',
          {
            code: 'without_open',
            error: 'finds only open balances. Send open=true with it, or leave it out',
          },
        ),
      ),
  ),
  compared: {
    currency: (code) => ['currency', normaliseCurrency(code)],
    open: (value) => ['is_open', value === 'true'],
    // this depends on the day and on other records: it is worked out from the balances found
    not_eligible: null,
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

const byPosition: readonly unknown[] = ['position', '-position'];
const byCreation: readonly unknown[] = ['created_at', '-created_at'];

/** The indexes that serve all filters of entries. */
const ofEntries = [
  // an adjustment has at most two entries, and a conversion no more than it has revisions
  { by: ['adjustment_id'], lowCardinality: [], sparse: ['adjustment_id'] },
  { by: ['conversion_id'], lowCardinality: [] },
  { by: ['affiliate_id'], lowCardinality: ['program_id', 'currency', 'kind'] },
  { by: ['program_id'], lowCardinality: ['currency', 'kind'] },
  { by: [], lowCardinality: ['currency', 'kind'] },
] as const satisfies ListSpec['indexes'];

/** The list of entries, in the order of the log. */
export const entryList = {
  query: withCreatedBounds(
    z.strictObject({
      ...pageQuery,
      sort: z
        .enum(['position', '-position', 'created_at', '-created_at'])
        .optional()
        .describe(
          'Default `-position`: newest first. With bounds on `created_at` the list is sorted by `created_at`, which may differ after a clock was set back: then, and only then, `created_at` and `-created_at` (the default) are accepted.',
        ),
      ...createdQuery,
      affiliate_id: idFilter('affiliate'),
      program_id: idFilter('program'),
      currency: currencyFilter,
      kind: choiceFilter('kind', entryKinds),
      conversion_id: idFilter('conversion'),
      adjustment_id: idFilter('adjustment'),
    }),
  )
    .refine(
      ...refusing(
        'sort',
        (query) => isBoundedByCreation(query) && byPosition.includes(query['sort']),
        {
          code: 'with_created_bound',
          error: `cannot be by position together with ${createdBounds}, which sort the list by created_at. Send created_at or -created_at, or leave it out`,
        },
      ),
    )
    .refine(
      ...refusing(
        'sort',
        (query) => !isBoundedByCreation(query) && byCreation.includes(query['sort']),
        {
          code: 'without_created_bound',
          error: `can be by created_at only together with ${createdBounds}. Send position or -position, or leave it out`,
        },
      ),
    ),
  order: ['position'],
  compared: { currency: (code) => ['currency', normaliseCurrency(code)] },
  indexes: [
    ...ofEntries,
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/**
 * The same list between two times. Every entry is in each index, so it has no index that only saves
 * merging the few currencies and kinds.
 */
export const entryListByTime = {
  ...entryList,
  order: ['created_at', 'id'],
  indexes: ofEntries,
} as const satisfies ListSpec;
