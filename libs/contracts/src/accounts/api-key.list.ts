import { listQueryWith, type ListSpec } from '../shared/list-spec.js';
import { instantParameterSchema } from '../time.js';

export const apiKeyList = {
  query: listQueryWith({
    expires_before: instantParameterSchema
      .optional()
      .describe(
        'Excludes this instant. The list then has only keys that expire, also those that have expired, sorted by `expires_at` in the direction of `sort`.',
      ),
  }),
  compared: { expires_before: null },
  indexes: [{ by: [], lowCardinality: [] }],
} as const satisfies ListSpec;
