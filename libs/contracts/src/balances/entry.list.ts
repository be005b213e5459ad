import { z } from 'zod';
import { normalizeCurrency } from '../money.js';
import {
  choiceFilter,
  createdBounds,
  createdQuery,
  currencyFilter,
  idFilter,
  isBoundedByCreation,
  pageQuery,
  refusing,
  withCreatedBounds,
  type ListSpec,
} from '../shared/list-spec.js';
import { entryKinds } from './entry.record.js';

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
          error: `cannot be by position together with ${createdBounds}, which sort the list by created_at. Send created_at or -created_at, or omit it`,
        },
      ),
    )
    .refine(
      ...refusing(
        'sort',
        (query) => !isBoundedByCreation(query) && byCreation.includes(query['sort']),
        {
          code: 'without_created_bound',
          error: `can be by created_at only together with ${createdBounds}. Send position or -position, or omit it`,
        },
      ),
    ),
  order: ['position'],
  compared: { currency: (code) => ['currency', normalizeCurrency(code)] },
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
