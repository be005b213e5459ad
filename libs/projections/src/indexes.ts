import type { IndexSpec } from '@refledger/read-store';

/**
 * An index for a list of the API: by account, then by these fields, in the order of the list. It is also for lists that leave out some of the
 * fields that have few values, if they filter by any of them. Where several would serve a query alike the first is taken, so the most selective comes first.
 */
export const listedBy = (
  fields: readonly string[],
  lowCardinality: readonly string[] = [],
): IndexSpec => ({
  fields: ['account_id', ...fields, ...lowCardinality, 'created_at', 'id'],
  ...(lowCardinality.length > 0 && { lowCardinality }),
});
