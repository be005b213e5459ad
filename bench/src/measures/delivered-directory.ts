import type { EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openDeliveryStore } from '@refledger/delivery-store';
import type { Bench } from '../bench.js';
import { addDeliveries, deliveredKinds, middleOf } from '../service/add-deliveries.js';
import { startService } from '../service/service.js';

/** A directory whose delivery store has many deliveries, to paused endpoints of one account. */
export interface DeliveredDirectory {
  readonly path: string;
  readonly endpoints: readonly EndpointId[];
  /** An event, and the record that it is about. */
  readonly some: { readonly event: string; readonly record: string };
}

const endpointCount = 10;

/** Makes a directory with this many deliveries. */
export const deliveredDirectory = async (
  bench: Bench,
  count: number,
): Promise<DeliveredDirectory> => {
  const path = await bench.directory();
  const service = bench.use(await startService(path));
  const endpoints: EndpointId[] = [];
  for (let n = 0; n < endpointCount; n++) {
    const body = { target_url: `http://127.0.0.1:9/${n}`, events: deliveredKinds };
    const { id } = await service.post<{ id: EndpointId }>('/v1/webhooks/subscribe', body);
    await service.patch(`/v1/webhooks/${id}`, { status: 'paused' });
    endpoints.push(id);
  }
  await service.caughtUp();
  await service.close();
  const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: path });
  try {
    const [offset] = await store.offsets();
    if (offset === undefined) throw new Error('the store has no offset yet');
    await addDeliveries(store, { count, endpoints, offset });
  } finally {
    await store.close();
  }
  return { path, endpoints, some: middleOf(count) };
};
