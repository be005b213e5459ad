import { randomUUID } from 'node:crypto';
import { newId } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import {
  ended,
  endpointOf,
  leaseOf,
  offsetAt,
  planned,
  succeeded,
  t,
} from '../conformance/under-test.js';
import type { Delivery } from '../delivery.js';
import { openMongodbDeliveryIntake, type DeliveryIntake } from './delivery-intake.js';
import { openMongodbDeliveryStore } from './mongodb-delivery-store.js';

describeOnServer('MongoDB', 'an intake of deliveries', (server) => {
  let url: string;
  let intake: DeliveryIntake;
  beforeEach(async () => {
    url = databaseUrl(server().url, `intake-${randomUUID()}`);
    intake = await openMongodbDeliveryIntake({ url });
  });
  afterEach(() => intake.close());

  const deliveryOf = (n: number, over: Partial<Delivery> = {}): Delivery => ({
    ...planned('a', n),
    replayId: null,
    status: 'waiting',
    attemptCount: 1,
    failures: 1,
    attempts: [ended(1, 2, 'bad_status', 500)],
    dueAt: t(60),
    createdAt: t(1),
    finishedAt: null,
    reason: null,
    ...over,
  });
  const all = [
    deliveryOf(1),
    deliveryOf(2, { attemptCount: 0, failures: 0, attempts: [], dueAt: t(1) }),
    deliveryOf(3, {
      status: 'succeeded',
      attempts: [ended(1, 2, 'succeeded', 200)],
      dueAt: null,
      finishedAt: t(2),
    }),
    deliveryOf(4, { status: 'failed', dueAt: null, finishedAt: t(2), reason: 'given up' }),
    deliveryOf(5, {
      status: 'canceled',
      dueAt: null,
      finishedAt: t(3),
      reason: 'unsubscribed',
      body: 'raw\u0000after ü',
    }),
  ];
  const series = { from: '3' as Delivery['position'], since: t(2), failures: 4 };
  const store = {
    id: 'the source’s',
    offsets: [offsetAt(7)],
    floor: offsetAt(5).offset as Delivery['position'],
    endedBefore: t(7),
  };

  it('creates the store with the id of the source', async () => {
    const key = { id: newId('delivery'), original: newId('delivery') };
    await intake.insert(all.map((delivery, n) => ({ delivery, n, keys: n === 0 ? [key] : [] })));
    await intake.keepSeries(endpointOf('a'), series);
    expect(await intake.storeId()).toBeUndefined();
    expect(await intake.complete(store)).toBe(store.id);
    const made = await openMongodbDeliveryStore({ url });
    expect({
      id: made.id,
      offsets: await made.offsets(),
      floor: await made.floor(),
      endedBefore: (await made.removed()).endedBefore,
    }).toEqual(store);
    expect(await made.series(endpointOf('a'))).toEqual(series);
    expect(await made.answeredKey(key.id)).toEqual({ ...key, answered: present(all[0]).id });
    // all were planned at one instant, so their numbers decide the order
    expect(await made.list({ endpointId: endpointOf('a'), limit: 10 })).toEqual([...all].reverse());
    expect(await made.counts()).toEqual({
      waiting: 2,
      held: 0,
      sending: 0,
      succeeded: 1,
      failed: 1,
      canceled: 1,
    });
    const [next, retry] = await made.claim(endpointOf('a'), 5, leaseOf('one', 60));
    expect([next?.id, retry?.id]).toEqual([present(all[1]).id, present(all[0]).id]);
    expect(retry).toMatchObject({
      body: present(all[0]).body,
      attempts: [{ number: 1 }, { number: 2, outcome: null }],
    });
    await made.recordOutcomes([succeeded(present(all[0]), 61, 2)], 'one');
    expect(await made.get(present(all[0]).id)).toMatchObject({ status: 'succeeded' });
    expect(await made.reschedule({ now: t(0), leaseUntil: t(30) })).toBe(0);
    await made.close();
  });

  it('changes nothing when repeated, even once the store is in use', async () => {
    await intake.insert([{ delivery: present(all[0]), n: 0 }]);
    await intake.insert([
      { delivery: { ...present(all[0]), status: 'canceled' }, n: 3 },
      { delivery: present(all[1]), n: 1 },
    ]);
    await intake.insert([]);
    await intake.complete(store);
    expect(await intake.complete({ ...store, offsets: [offsetAt(99)], floor: undefined })).toBe(
      store.id,
    );
    const made = await openMongodbDeliveryStore({ url });
    expect(await made.list({ endpointId: endpointOf('a'), limit: 10 })).toEqual([all[1], all[0]]);
    expect(await made.offsets()).toEqual([offsetAt(7)]);
    await made.close();
  });

  it('does not replace an existing store', async () => {
    const other = await openMongodbDeliveryStore({ url });
    expect(await intake.storeId()).toBe(other.id);
    expect(await intake.complete(store)).toBe(other.id);
    expect(await other.offsets()).toEqual([]);
    await other.close();
  });

  it('rejects deliveries in flight', async () => {
    await expect(
      intake.insert([{ delivery: deliveryOf(6, { status: 'sending', dueAt: null }), n: 0 }]),
    ).rejects.toThrow(TypeError);
  });
});
