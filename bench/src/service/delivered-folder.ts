import { derivedId, type DeliveryId, type EndpointId, type Position } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { openDeliveryStore, type DeliveryStore } from '@refledger/webhooks';
import type { Bench } from '../bench.js';
import { startService } from './service.js';

/** A folder whose delivery store has many deliveries, to paused endpoints of one account. */
export interface DeliveredFolder {
  readonly path: string;
  readonly endpoints: readonly EndpointId[];
  /** An event, and the record that it is about. */
  readonly some: { readonly event: string; readonly record: string };
}

const endpointCount = 10;
const batchSize = 1_000;
const kinds = ['conversion.created', 'conversion.approved', 'affiliate.created'] as const;
/** How many deliveries there are for each that somebody asked for. */
const eventsPerRedelivery = 50;

/**
 * Makes a folder with this many deliveries: of each 20, 15 succeeded, two failed, two were canceled
 * and one is held. Each batch of 1,000 is a second older than the next.
 */
export const deliveredFolder = async (bench: Bench, count: number): Promise<DeliveredFolder> => {
  const path = await bench.folder();
  const service = bench.use(await startService(path));
  const endpoints: EndpointId[] = [];
  for (let n = 0; n < endpointCount; n++) {
    const body = { target_url: `http://127.0.0.1:9/${n}`, events: kinds };
    const { id } = await service.post<{ id: EndpointId }>('/v1/webhooks/subscribe', body);
    await service.patch(`/v1/webhooks/${id}`, { status: 'paused' });
    endpoints.push(id);
  }
  await service.caughtUp();
  await service.close();
  const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: path });
  try {
    const begun = Date.now() - count;
    for (let first = 0; first < count; first += batchSize)
      await addBatch(store, { endpoints, first, size: Math.min(batchSize, count - first), begun });
  } finally {
    await store.close();
  }
  const middle = Math.floor(count / 2);
  return { path, endpoints, some: { event: eventOf(middle), record: recordOf(middle) } };
};

interface Batch {
  readonly endpoints: readonly EndpointId[];
  readonly first: number;
  readonly size: number;
  /** When the first delivery was made, in milliseconds since 1970. */
  readonly begun: number;
}

const addBatch = async (
  store: DeliveryStore,
  { endpoints, first, size, begun }: Batch,
): Promise<void> => {
  const [offset] = await store.offsets();
  if (offset === undefined) throw new Error('the store has no offset yet');
  const at = new Date(begun + first).toISOString();
  const lease = { holder: 'bench', now: at, leaseUntil: at };
  const numbers = Array.from({ length: size }, (_, index) => first + index);
  const deliveries = numbers.map((n) => deliveryOf(n, endpoints));
  await store.plan({ deliveries, offset, floor: undefined }, lease);
  const sent = numbers.filter((n) => statusOf(n) === 'sending');
  await store.recordOutcomes(
    sent.map((n) => outcomeOf(n, at)),
    lease.holder,
  );
};

const statusOf = (n: number) =>
  n % 20 < 17 ? ('sending' as const) : n % 20 < 19 ? ('canceled' as const) : ('held' as const);

const idOf = (n: number): DeliveryId => derivedId('delivery', 'bench', String(n));
const eventOf = (n: number) => derivedId('event', 'bench', String(n));
const recordOf = (n: number) => derivedId('conversion', 'bench', String(n));

const deliveryOf = (n: number, endpoints: readonly EndpointId[]) => ({
  id: idOf(n),
  accountId: firstAccountId,
  endpointId: endpoints[n % endpoints.length] ?? derivedId('endpoint', 'none'),
  eventId: eventOf(n),
  eventType: kinds[n % kinds.length] ?? kinds[0],
  objectId: recordOf(n),
  trigger: n % eventsPerRedelivery === 0 ? ('redeliver' as const) : ('event' as const),
  position: '1' as Position,
  decidedAt: '1' as Position,
  payload: 'full' as const,
  body: `{"n":${n}}`,
  status: statusOf(n),
  reason: null,
});

const outcomeOf = (n: number, at: string) => {
  const isFailed = n % 20 >= 15;
  return {
    deliveryId: idOf(n),
    number: 1,
    endedAt: at,
    attempt: {
      number: 1,
      startedAt: at,
      finishedAt: at,
      outcome: isFailed ? ('bad_status' as const) : ('succeeded' as const),
      status: isFailed ? 500 : 200,
      error: null,
      address: '127.0.0.1',
      retryAfter: null,
      response: null,
    },
    failures: isFailed ? 1 : 0,
    next: isFailed
      ? { status: 'failed' as const, reason: 'no attempt is left' }
      : { status: 'succeeded' as const },
  };
};
