import { derivedId, newId, type DeliveryId, type Position } from '@refledger/contracts';
import type { Delivery, RedeliveryKey } from '@refledger/delivery-store';
import { Redeliveries } from './redeliveries.js';

const accountId = derivedId('account', 'a');
const endpointId = derivedId('endpoint', 'one');
const deliveryOf = (name: string, over: Partial<Delivery> = {}) =>
  ({
    id: derivedId('delivery', name),
    accountId,
    endpointId,
    eventId: derivedId('event', 'the same'),
    trigger: 'event',
    status: 'failed',
    finishedAt: '2026-01-01T00:00:00.000Z',
    decidedAt: '3' as Position,
    ...over,
  }) as Delivery;
const waiting = { status: 'waiting', finishedAt: null } as const;

/** Redeliveries over these deliveries in memory. */
const redeliveriesWith = (...given: readonly Delivery[]) => {
  const stored = new Map(given.map((delivery) => [delivery.id, delivery]));
  const keys = new Map<DeliveryId, RedeliveryKey & { readonly answered: DeliveryId }>();
  const did: string[] = [];
  const use = (key: RedeliveryKey | undefined, answered: DeliveryId): boolean => {
    if (key === undefined) return true;
    if (keys.has(key.id)) return false;
    keys.set(key.id, { ...key, answered });
    return true;
  };
  const store = {
    request: (delivery: Delivery, _now: string, key?: RedeliveryKey) => {
      if (stored.has(delivery.id) || !use(key, delivery.id)) return Promise.resolve(false);
      stored.set(delivery.id, { ...delivery, finishedAt: null });
      return Promise.resolve(did.push('made') > 0);
    },
    makeDue: (id: DeliveryId, _now: string, key?: RedeliveryKey) => {
      if (stored.get(id)?.finishedAt !== null || !use(key, id)) return Promise.resolve(false);
      return Promise.resolve(did.push('made due') > 0);
    },
  };
  const reader = {
    get: (id: DeliveryId) => Promise.resolve(stored.get(id)),
    answeredKey: (id: DeliveryId) => Promise.resolve(keys.get(id)),
  };
  const redeliveries = new Redeliveries(
    // the casts hold: only these methods are called
    { read: (work) => work(reader as never), write: (work) => work(store as never) },
    { get: () => Promise.resolve({ endpoint: { status: 'enabled' }, position: '9' } as never) },
    { instant: () => '2026-01-02T00:00:00.000Z' },
  );
  const redeliver = (id: DeliveryId, idempotencyKey?: string) =>
    redeliveries.redeliver({
      id: endpointId,
      ids: { delivery_id: id },
      caller: { accountId, keyId: newId('key') },
      minPosition: undefined,
      idempotencyKey,
    });
  return { redeliver, stored, store, did };
};

const [first, second] = [deliveryOf('first'), deliveryOf('second')];
const reused = { code: 'idempotency_key_reused' };

it('of requests with one key at once, one makes a delivery', async () => {
  const { redeliver, did } = redeliveriesWith(first);
  const all = await Promise.all(Array.from({ length: 20 }, () => redeliver(first.id, 'k')));
  expect(all.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
  expect(new Set(all.map(({ delivery }) => delivery.id)).size).toBe(1);
  expect(did).toEqual(['made']);
});

it('a key that made a delivery due is answered with it, also after it has ended', async () => {
  const { redeliver, stored, did } = redeliveriesWith(deliveryOf('first', waiting));
  expect(await redeliver(first.id, 'k')).toMatchObject({
    delivery: { id: first.id },
    isRepeated: false,
  });
  expect(await redeliver(first.id, 'k')).toMatchObject({ isRepeated: true });
  stored.set(first.id, deliveryOf('first', { status: 'succeeded' }));
  expect(await redeliver(first.id, 'k')).toMatchObject({
    delivery: { id: first.id, status: 'succeeded' },
    isRepeated: true,
  });
  expect(did).toEqual(['made due']);
});

it('a key is for one delivery, not for each of its event', async () => {
  const { redeliver, did } = redeliveriesWith(first, second, deliveryOf('third', waiting));
  await redeliver(first.id, 'k');
  await expect(redeliver(second.id, 'k')).rejects.toMatchObject(reused);
  await redeliver(derivedId('delivery', 'third'), 'l');
  await expect(redeliver(first.id, 'l')).rejects.toMatchObject(reused);
  await expect(redeliver(derivedId('delivery', 'unknown'), 'k')).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(did).toEqual(['made', 'made due']);
});

it('a key is answered after the original was removed', async () => {
  const { redeliver, stored } = redeliveriesWith(first);
  const { delivery } = await redeliver(first.id, 'k');
  stored.delete(first.id);
  expect(await redeliver(first.id, 'k')).toMatchObject({
    delivery: { id: delivery.id },
    isRepeated: true,
  });
});

it('a delivery that ends while it is to be made due is sent again', async () => {
  const { redeliver, stored, store, did } = redeliveriesWith(deliveryOf('first', waiting));
  const { makeDue } = store;
  store.makeDue = (...given) => {
    stored.set(first.id, first);
    return makeDue(...given);
  };
  expect(await redeliver(first.id, 'k')).toMatchObject({ isRepeated: false });
  expect(did).toEqual(['made']);
});
