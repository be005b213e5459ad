import { derivedId, type DeliveryId, type EndpointId, type Position } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import type { Offset } from '@refledger/event-bus';
import type { DeliveryStore } from '@refledger/delivery-store';

const batchSize = 1_000;
export const deliveredKinds = [
  'conversion.created',
  'conversion.approved',
  'affiliate.created',
] as const;
/** One in this many deliveries is a redelivery. */
const eventsPerRedelivery = 50;

/**
 * Adds deliveries of the first account to a store: of every 20, 15 succeeded, two failed, two were
 * canceled and one is held. Each batch of 1,000 is a second older than the next.
 */
export const addDeliveries = async (
  store: DeliveryStore,
  { count, endpoints, offset }: Deliveries,
): Promise<void> => {
  const begun = Date.now() - count;
  for (let first = 0; first < count; first += batchSize)
    await addBatch(store, {
      endpoints,
      offset,
      first,
      size: Math.min(batchSize, count - first),
      startedAt: begun,
    });
};

interface Deliveries {
  readonly count: number;
  readonly endpoints: readonly EndpointId[];
  /** How far the store has planned. It stays the same. */
  readonly offset: Offset;
}

/** The event in the middle of `count` deliveries, and the record that it is about. */
export const middleOf = (count: number) => {
  const middle = Math.floor(count / 2);
  return { event: eventOf(middle), record: recordOf(middle) };
};

interface Batch extends Omit<Deliveries, 'count'> {
  readonly first: number;
  readonly size: number;
  /** When the first delivery was made, in milliseconds since 1970. */
  readonly startedAt: number;
}

const addBatch = async (
  store: DeliveryStore,
  { endpoints, offset, first, size, startedAt: begun }: Batch,
): Promise<void> => {
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
  eventType: deliveredKinds[n % deliveredKinds.length] ?? deliveredKinds[0],
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
      sealedResponse: null,
    },
    failures: isFailed ? 1 : 0,
    next: isFailed
      ? { status: 'failed' as const, reason: 'no attempt is left' }
      : { status: 'succeeded' as const },
  };
};
