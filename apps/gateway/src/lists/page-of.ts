import type { Query } from '@refledger/read-store';
import type { Row } from './list-query.js';

/**
 * One page of rows that are all in memory (an account's keys), for the same query that a read store
 * takes.
 */
export const pageOf = <T extends Row>(
  rows: readonly T[],
  { where, order, after, limit }: Query,
): readonly T[] => {
  const bound = (row: T): boolean =>
    where.every(
      (filter) =>
        !('equals' in filter) &&
        (filter.after === undefined || row.created_at > filter.after) &&
        (filter.before === undefined || row.created_at < filter.before),
    );
  const sign = order.descending ? -1 : 1;
  const compare = (a: readonly [string, string], b: readonly [string, string]): number =>
    sign * (a[0] === b[0] ? (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) : a[0] < b[0] ? -1 : 1);
  const keyOf = (row: Row): readonly [string, string] => [row.created_at, row.id];
  const start = after?.map(String) as [string, string] | undefined;
  return rows
    .filter((row) => bound(row) && (start === undefined || compare(keyOf(row), start) > 0))
    .sort((a, b) => compare(keyOf(a), keyOf(b)))
    .slice(0, limit);
};
