import type { IndexSpec } from '@refledger/read-store';

/**
 * The indexes of a collection that the API lists: by account, then by the fields of a filter, in the order of the list.
 * Where several would serve a query alike the first is taken, so the most selective comes first.
 */
export const listedBy = (...filters: readonly (readonly string[])[]): readonly IndexSpec[] => filters.map((filter) => ({ fields: ['account_id', ...filter, 'created_at', 'id'] }));
