import type { IndexSpec } from '@refledger/read-store';

/**
 * An index for a list of the API: by account, then by these fields, in the order of the list. It
 * also serves lists that leave some of the few-valued fields open, if they filter by at least one
 * of them. If several indexes serve a query equally well, the first wins, so declare the most
 * selective first.
 */
export const listedBy = (
  fields: readonly string[],
  lowCardinality: readonly string[] = [],
): IndexSpec => ({
  fields: ['account_id', ...fields, ...lowCardinality, 'created_at', 'id'],
  ...(lowCardinality.length > 0 && { lowCardinality }),
});
