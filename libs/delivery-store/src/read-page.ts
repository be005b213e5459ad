import {
  cursorOf,
  planOf,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryRange,
} from './delivery-query.js';
import type { DeliverySummary } from './delivery.js';

/** Reads up to `limit` deliveries of a range. */
type ReadRange = (
  range: DeliveryRange,
) => readonly DeliverySummary[] | Promise<readonly DeliverySummary[]>;

/**
 * Reads a page of a list. With several filters, the index of one is read and the others are applied
 * to at most 1,000 deliveries, so that every page costs little. Such a page may be short, or empty,
 * although the list goes on.
 */
export const readPage = async (
  query: DeliveryQuery,
  readRange: ReadRange,
): Promise<DeliveryPage> => {
  const { accountId, limit, order } = query;
  const { range, others } = planOf(query);
  // one more than the page has, to tell whether more follow
  const size = others.length === 0 ? limit + 1 : step;
  const found: DeliverySummary[] = [];
  let { after } = query;
  for (let examined = 0; examined < maxExamined; examined += size) {
    const rows = await readRange({ ...range, after, limit: size });
    // all of them, since an event and an endpoint belong to one account
    if (rows.some((row) => row.accountId !== accountId)) return { deliveries: [], next: undefined };
    for (const row of rows) {
      if (others.some((field) => row[field] !== query[field])) continue;
      const last = found[limit - 1];
      if (last !== undefined) return { deliveries: found, next: cursorOf(last, order.by) };
      found.push(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return { deliveries: found, next: undefined };
    after = cursorOf(last, order.by);
  }
  return { deliveries: found, next: after };
};

const step = 250;
const maxExamined = 1_000;
