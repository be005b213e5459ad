import type { EndpointId } from '@refledger/contracts';
import type { Delivery, OperatorStore } from '@refledger/delivery-store';

/** Consecutive deliveries of one endpoint. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /**
   * The index of the first delivery among its endpoint's deliveries in the order of planning. Each
   * further delivery has the next lower index.
   */
  readonly first: number;
}

/** Deliveries per page. Each of them needs a read on the other side. */
const pageSize = 100;

/**
 * All deliveries by endpoint in the order of ids, and newest first within each endpoint. The order
 * is the same in every store.
 */
export async function* eachDelivery(
  store: Pick<OperatorStore, 'endpoints' | 'counts' | 'list'>,
): AsyncGenerator<DeliveryPage> {
  for (const endpoint of await store.endpoints()) yield* ofOne(store, endpoint);
}

async function* ofOne(
  store: Pick<OperatorStore, 'counts' | 'list'>,
  endpointId: EndpointId,
): AsyncGenerator<DeliveryPage> {
  let first =
    Object.values(await store.counts(endpointId)).reduce((sum, count) => sum + count, 0) - 1;
  for (let last: Delivery | undefined; ;) {
    const deliveries = await store.list({
      endpointId,
      limit: pageSize,
      ...(last !== undefined && { after: last.id }),
    });
    last = deliveries.at(-1);
    if (last === undefined) return;
    yield { deliveries, first };
    first -= deliveries.length;
  }
}
