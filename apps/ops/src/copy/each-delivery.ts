import type { EndpointId } from '@refledger/contracts';
import type { Delivery, DeliveryStore } from '@refledger/webhooks';

/** Deliveries of one endpoint that follow one another. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** The number of the first among those of its endpoint in the order of planning; each further one has the next lower. */
  readonly first: number;
}

/** So many at once: each needs a read on the other side. */
const pageSize = 100;

/** All deliveries, endpoint by endpoint in the order of ids, newest first: the same order in every store. */
export async function* eachDelivery(
  store: Pick<DeliveryStore, 'endpoints' | 'counts' | 'list'>,
): AsyncGenerator<DeliveryPage> {
  for (const endpoint of await store.endpoints()) yield* ofOne(store, endpoint);
}

async function* ofOne(
  store: Pick<DeliveryStore, 'counts' | 'list'>,
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
