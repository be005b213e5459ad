import { z } from 'zod';
import { normalizeCurrency } from '../money.js';
import { skipReasons } from '../payout-runs/payout-run.record.js';
import {
  currencyFilter,
  idFilter,
  listQuery,
  refusing,
  withCreatedBounds,
  type ListSpec,
} from '../shared/list-spec.js';
import { dayParameterSchema } from '../time.js';

/** The query parameter of everything that shows a balance. */
export const onQuery = {
  on: dayParameterSchema
    .optional()
    .describe(
      'The day (UTC) that separates payable from held: today, which is the default, or a later day. With `as_of`, today is the day of that time or position.',
    ),
};

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
            error: 'finds only open balances. Send open=true with it, or omit it',
          },
        ),
      ),
  ),
  compared: {
    currency: (code) => ['currency', normalizeCurrency(code)],
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
