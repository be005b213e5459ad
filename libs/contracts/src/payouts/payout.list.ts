import { normalizeCurrency } from '../money.js';
import {
  byPayee,
  choiceFilter,
  currencyFilter,
  idFilter,
  listQueryWith,
  type ListSpec,
} from '../shared/list-spec.js';
import { instantParameterSchema } from '../time.js';
import { payoutStatuses } from './payout.record.js';

const completionSchema = instantParameterSchema
  .optional()
  .describe(
    'Excludes this instant. The list is then sorted by `completed_at`, in the direction of `sort`.',
  );

export const payoutList = {
  query: listQueryWith({
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    run_id: idFilter('run'),
    status: choiceFilter('status', payoutStatuses),
    currency: currencyFilter,
    completed_after: completionSchema,
    completed_before: completionSchema,
  }),
  compared: {
    currency: (code) => ['currency', normalizeCurrency(code)],
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
