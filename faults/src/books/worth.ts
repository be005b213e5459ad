import type { Facts } from '../facts.js';
import { requestIdOf } from '../ledger.js';
import { booksOf } from './books.js';
import { balanceOf } from './due-entries.js';

/**
 * The amount owed to each affiliate per currency, worked out from the requests: the commissions of
 * its approved conversions and its adjustments that were not voided.
 */
export const worthOf = ({
  entries,
  history,
}: Pick<Facts, 'entries' | 'history'>): ReadonlyMap<string, bigint> => {
  const worth = new Map<string, bigint>();
  const add = (balance: string, amount: bigint): void =>
    void worth.set(balance, (worth.get(balance) ?? 0n) + amount);
  for (const sale of booksOf({ entries, history }).sales.values())
    if (sale.status === 'approved')
      add(balanceOf({ affiliate_id: sale.affiliate, currency: sale.currency }), sale.commission);
  const sent = new Map(entries.map(({ n, intent }) => [requestIdOf(n), intent]));
  for (const versions of history.versions.values()) {
    const [created] = versions;
    if (created?.record.object !== 'adjustment') continue;
    // decoding boundary: the load sends these bodies
    const bodies = versions.map(
      ({ event }) =>
        (sent.get(event.metadata.request_id)?.body ?? {}) as unknown as AdjustmentRequest,
    );
    const [request] = bodies;
    if (request?.amount !== undefined && !bodies.some(({ status }) => status === 'voided'))
      add(balanceOf(request), BigInt(request.amount));
  }
  return worth;
};

/** The fields of an adjustment's requests that the books depend on. */
interface AdjustmentRequest {
  readonly affiliate_id: string;
  readonly currency: string;
  readonly amount?: number;
  readonly status?: string;
}
