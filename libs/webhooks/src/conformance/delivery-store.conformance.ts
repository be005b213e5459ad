/// <reference types="jest" />
import { derivedId, toInstant, type DeliveryId, type EndpointId, type Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import { DeliveryStoreError, ForeignPlace, type Attempt, type AttemptResult, type Lease, type Delivery, type DeliveryStore, type PlannedDelivery } from '../delivery-store.js';

/** One set of deliveries for the suite: `open` gives a handle, as another process would get it; the same deliveries every time. */
export interface DeliveryStoreFixture {
  open(): Promise<DeliveryStore>;
  destroy(): Promise<void>;
}

const t = (seconds: number): string => toInstant(Date.UTC(2026, 0, 1) + seconds * 1_000);
const endpointOf = (name: string): EndpointId => derivedId('endpoint', name);
const placeAt = (offset: number, source = 'log one'): BusPlace => ({ source, partition: 'log', offset: String(offset), mark: `event ${offset}` });
const leaseOf = (holder: string, seconds: number, lease = 30): Lease => ({ holder, now: t(seconds), leaseUntil: t(seconds + lease) });

const planned = (endpoint: string, n: number, status: 'due' | 'started' = 'due', body = `{"n":${n}}`): PlannedDelivery => ({
  id: derivedId('delivery', endpoint, String(n)),
  accountId: derivedId('account', 'one'),
  endpointId: endpointOf(endpoint),
  eventId: derivedId('event', String(n)),
  eventType: 'conversion.created',
  position: String(n) as Position,
  body,
  status,
});
const planOf = (deliveries: readonly PlannedDelivery[], offset = 1) => ({ deliveries, place: placeAt(offset), floor: String(offset) as Position });

const ended = (number: number, seconds: number, outcome: Attempt['outcome'], status: number | null = null): Attempt => ({
  number, startedAt: t(seconds - 1), finishedAt: t(seconds), outcome, status, error: null,
});
const succeeded = ({ id }: Pick<Delivery, 'id'>, seconds = 2, number = 1): AttemptResult => ({ deliveryId: id, attempt: ended(number, seconds, 'succeeded', 200), next: { status: 'succeeded' } });
const retried = ({ id }: Pick<Delivery, 'id'>, dueIn: number, seconds = 2, number = 1): AttemptResult => ({ deliveryId: id, attempt: ended(number, seconds, 'failed', 500), next: { status: 'due', dueAt: t(dueIn) } });

/** Holds an adapter to the port. */
export const deliveryStoreConformance = (name: string, factory: () => Promise<DeliveryStoreFixture>): void =>
  describe(`${name}: delivery store`, () => {
    let fixture: DeliveryStoreFixture;
    let store: DeliveryStore;
    beforeEach(async () => {
      fixture = await factory();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.destroy();
    });
    const statusOf = async (id: DeliveryId) => (await store.get(id))?.status;

    it('that was closed is unavailable, for reads and writes', async () => {
      const closed = await fixture.open();
      await closed.close();
      for (const call of [closed.places(), closed.plan(planOf([planned('a', 1)]), leaseOf('one', 1))]) {
        const error: unknown = await call.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(DeliveryStoreError);
        expect(error).toMatchObject({ kind: 'unavailable' });
      }
    });

    describe('planning', () => {
      it('writes what is started with its first attempt, what is due without one, and answers what it inserted', async () => {
        const [first, second] = [planned('a', 1, 'started'), planned('a', 2)];
        const inserted = await store.plan(planOf([first, second]), leaseOf('one', 1));
        expect(inserted).toEqual([first.id, second.id]);
        expect(await store.get(first.id)).toEqual({ ...first, attempts: [{ number: 1, startedAt: t(1), finishedAt: null, outcome: null, status: null, error: null }], dueAt: null, createdAt: t(1), finishedAt: null, reason: null });
        expect(await store.get(second.id)).toEqual({ ...second, attempts: [], dueAt: t(1), createdAt: t(1), finishedAt: null, reason: null });
      });

      it('plans once what is planned twice, and leaves the first as it is', async () => {
        await store.plan(planOf([planned('a', 1, 'started')]), leaseOf('one', 1));
        await store.finish([succeeded(planned('a', 1))], 'one');
        const again = await store.plan(planOf([planned('a', 1, 'started'), planned('a', 2, 'started')], 2), leaseOf('two', 5));
        expect(again).toEqual([planned('a', 2).id]);
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'succeeded', createdAt: t(1), attempts: [{ number: 1, outcome: 'succeeded' }] });
      });

      it('keeps the exact bytes of a body', async () => {
        const body = JSON.stringify({ text: 'ü€😀\u2028\u0000"\\', big: '9'.repeat(100_000) });
        await store.plan(planOf([planned('a', 1, 'due', body), planned('a', 2, 'due', `raw\u0000after`)]), leaseOf('one', 1));
        const [first, second] = await store.takeDue(endpointOf('a'), 2, leaseOf('one', 2));
        expect(first?.body).toBe(body);
        expect(second?.body).toBe('raw\u0000after');
      });

      it('raises place and floor only, also by a batch without deliveries', async () => {
        await store.plan(planOf([], 10), leaseOf('one', 1));
        await store.plan(planOf([], 9), leaseOf('two', 1));
        expect(await store.place('log')).toEqual(placeAt(10));
        expect(await store.places()).toEqual([placeAt(10)]);
        expect(await store.floor()).toBe('10');
        await store.plan({ ...planOf([], 100), floor: undefined }, leaseOf('one', 1));
        expect(await store.place('log')).toEqual(placeAt(100));
        expect(await store.floor()).toBe('10');
      });

      it('knows no place of a partition that it never read', async () => {
        expect(await store.place('log')).toBeUndefined();
        expect(await store.floor()).toBeUndefined();
      });

      it('refuses a place of another source whole', async () => {
        await store.plan(planOf([], 5), leaseOf('one', 1));
        const foreign = { ...planOf([planned('a', 1)]), place: placeAt(9, 'log two') };
        await expect(store.plan(foreign, leaseOf('one', 1))).rejects.toThrow(ForeignPlace);
        expect(await store.get(planned('a', 1).id)).toBeUndefined();
        expect(await store.place('log')).toEqual(placeAt(5));
      });

      it('succeeds or fails alone when others are written at the same time', async () => {
        await store.plan(planOf([], 5), leaseOf('one', 1));
        const foreign = store.plan({ ...planOf([planned('a', 1)]), place: placeAt(9, 'log two') }, leaseOf('one', 1));
        const good = store.plan(planOf([planned('a', 2)], 7), leaseOf('one', 1));
        await expect(foreign).rejects.toThrow(ForeignPlace);
        expect(await good).toEqual([planned('a', 2).id]);
        expect(await statusOf(planned('a', 1).id)).toBeUndefined();
        expect(await store.place('log')).toEqual(placeAt(7));
      });

      it('goes where an operator says, downwards and to another source too', async () => {
        await store.plan(planOf([], 10), leaseOf('one', 1));
        await store.resetPlaces([placeAt(3, 'log two')], '3' as Position);
        expect(await store.places()).toEqual([placeAt(3, 'log two')]);
        expect(await store.floor()).toBe('3');
        await store.resetPlaces([], undefined);
        expect(await store.places()).toEqual([]);
        expect(await store.floor()).toBeUndefined();
      });
    });

    describe('taking', () => {
      it('takes the earliest due of one endpoint, at most as many as asked for, none before its time', async () => {
        await store.plan(planOf([planned('a', 1, 'started'), planned('a', 2), planned('a', 3), planned('b', 4)]), leaseOf('one', 1));
        await store.finish([retried(planned('a', 1), 60)], 'one');
        const taken = await store.takeDue(endpointOf('a'), 1, leaseOf('one', 10));
        expect(taken.map(({ id }) => id)).toEqual([planned('a', 2).id]);
        expect(taken[0]).toMatchObject({ status: 'started', dueAt: null, attempts: [{ number: 1, startedAt: t(10), finishedAt: null }] });
        expect((await store.takeDue(endpointOf('a'), 10, leaseOf('one', 10))).map(({ id }) => id)).toEqual([planned('a', 3).id]);
        expect(await store.takeDue(endpointOf('a'), 10, leaseOf('one', 59))).toEqual([]);
        const [retry] = await store.takeDue(endpointOf('a'), 10, leaseOf('one', 60));
        expect(retry?.attempts).toMatchObject([{ number: 1, outcome: 'failed', status: 500 }, { number: 2, startedAt: t(60), finishedAt: null, outcome: null }]);
        expect(retry?.body).toBe(planned('a', 1).body);
      });

      it('takes back what was taken and not sent, as if it had not been taken', async () => {
        await store.plan(planOf([planned('a', 1), planned('a', 2, 'started')]), leaseOf('one', 1));
        await store.finish([retried(planned('a', 2), 5)], 'one');
        await store.takeDue(endpointOf('a'), 5, leaseOf('one', 6));
        await store.release([planned('a', 1).id], { holder: 'two', now: t(7) });
        expect(await statusOf(planned('a', 1).id)).toBe('started');
        await store.release([planned('a', 1).id, planned('a', 2).id, planned('a', 3).id], { holder: 'one', now: t(7) });
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'due', dueAt: t(7), attempts: [] });
        expect(await store.get(planned('a', 2).id)).toMatchObject({ status: 'due', dueAt: t(7), attempts: [{ number: 1, outcome: 'failed' }] });
        const [again] = await store.takeDue(endpointOf('a'), 1, leaseOf('two', 8));
        await store.finish([{ ...succeeded(again!, 9), attempt: ended(1, 9, 'succeeded', 200) }], 'two');
        expect(await statusOf(again!.id)).toBe('succeeded');
      });

      it('names the endpoints that have something due or something lost', async () => {
        await store.plan(planOf([planned('a', 1), planned('a', 2), planned('b', 3, 'started'), planned('c', 4, 'started'), planned('d', 5, 'started')]), leaseOf('one', 1, 30));
        await store.finish([retried(planned('c', 4), 100), succeeded(planned('d', 5))], 'one');
        expect(await store.endpointsWithWork(t(1))).toEqual([endpointOf('a')]);
        expect([...(await store.endpointsWithWork(t(31)))].sort()).toEqual([endpointOf('a'), endpointOf('b')].sort());
        expect([...(await store.endpointsWithWork(t(100)))].sort()).toEqual([endpointOf('a'), endpointOf('b'), endpointOf('c')].sort());
        expect(await store.endpointsWithWork(t(0))).toEqual([]);
      });

      it('says when there is work next: later than an instant, due times and leases alike', async () => {
        expect(await store.nextDueAt(t(0))).toBeUndefined();
        await store.plan(planOf([planned('a', 1), planned('b', 2, 'started'), planned('b', 3, 'started')]), leaseOf('one', 1, 30));
        await store.finish([retried(planned('b', 3), 20)], 'one');
        expect(await store.nextDueAt(t(0))).toBe(t(1));
        expect(await store.nextDueAt(t(1))).toBe(t(20));
        expect(await store.nextDueAt(t(20))).toBe(t(31));
        expect(await store.nextDueAt(t(31))).toBeUndefined();
      });
    });

    describe('outcomes', () => {
      it('end a delivery, or make it due again', async () => {
        await store.plan(planOf([planned('a', 1, 'started'), planned('a', 2, 'started'), planned('a', 3, 'started'), planned('a', 4, 'started')]), leaseOf('one', 1));
        const givenUp: AttemptResult = { deliveryId: planned('a', 3).id, attempt: ended(1, 4, 'failed', 410), next: { status: 'failed', reason: 'gone' } };
        const cancelled: AttemptResult = { deliveryId: planned('a', 4).id, attempt: ended(1, 4, 'cancelled'), next: { status: 'cancelled', reason: 'unsubscribed' } };
        await store.finish([succeeded(planned('a', 1)), retried(planned('a', 2), 50), givenUp, cancelled], 'one');
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'succeeded', finishedAt: t(2), dueAt: null, reason: null, attempts: [ended(1, 2, 'succeeded', 200)] });
        expect(await store.get(planned('a', 2).id)).toMatchObject({ status: 'due', finishedAt: null, dueAt: t(50), attempts: [ended(1, 2, 'failed', 500)] });
        expect(await store.get(planned('a', 3).id)).toMatchObject({ status: 'failed', finishedAt: t(4), reason: 'gone' });
        expect(await store.get(planned('a', 4).id)).toMatchObject({ status: 'cancelled', finishedAt: t(4), reason: 'unsubscribed', attempts: [{ outcome: 'cancelled' }] });
        expect(await store.counts(endpointOf('a'))).toEqual({ due: 1, started: 0, succeeded: 1, failed: 1, cancelled: 1 });
      });

      it('change nothing when they come twice, or for a delivery that is not there', async () => {
        await store.plan(planOf([planned('a', 1, 'started')]), leaseOf('one', 1));
        await store.finish([succeeded(planned('a', 1))], 'one');
        await store.finish([retried(planned('a', 1), 50), succeeded(planned('a', 99))], 'one');
        expect(await statusOf(planned('a', 1).id)).toBe('succeeded');
        expect(await store.get(planned('a', 99).id)).toBeUndefined();
      });
    });

    describe('after a crash', () => {
      it('an attempt whose outcome was swallowed shows as unknown and is due at once; the body is the same', async () => {
        await store.plan(planOf([planned('a', 1, 'started'), planned('b', 2, 'started')]), leaseOf('one', 1, 300));
        await store.finish([succeeded(planned('b', 2))], 'one');
        await store.close();
        store = await fixture.open();
        expect(await store.recover({ now: t(5) })).toBe(0);
        expect(await store.recover({ now: t(5), leftBy: 'one' })).toBe(1);
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'due', dueAt: t(5), attempts: [{ number: 1, startedAt: t(1), finishedAt: t(5), outcome: 'unknown' }] });
        const [again] = await store.takeDue(endpointOf('a'), 5, leaseOf('one', 5));
        expect(again).toMatchObject({ body: planned('a', 1).body, attempts: [{ outcome: 'unknown' }, { number: 2, outcome: null }] });
      });

      it('everything is there: id, places, floor, deliveries', async () => {
        const { id } = store;
        await store.plan(planOf([planned('a', 1), planned('a', 2, 'started')], 7), leaseOf('one', 1));
        const before = [await store.get(planned('a', 1).id), await store.get(planned('a', 2).id)];
        await store.close();
        store = await fixture.open();
        expect(store.id).toBe(id);
        expect(await store.places()).toEqual([placeAt(7)]);
        expect(await store.floor()).toBe('7');
        expect([await store.get(planned('a', 1).id), await store.get(planned('a', 2).id)]).toEqual(before);
      });
    });

    describe('two dispatchers', () => {
      let other: DeliveryStore;
      beforeEach(async () => {
        other = await fixture.open();
      });
      afterEach(() => other.close());

      it('see one store', () => expect(other.id).toBe(store.id));

      it('never hold one delivery both', async () => {
        const all = Array.from({ length: 60 }, (_, n) => planned('a', n));
        await store.plan(planOf(all), leaseOf('one', 1));
        const hands = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? store : other).takeDue(endpointOf('a'), 3, leaseOf(n % 2 === 0 ? 'one' : 'two', 2))));
        const taken = hands.flat().map(({ id }) => id);
        expect(taken).toHaveLength(60);
        expect(new Set(taken).size).toBe(60);
      });

      it('plan the same batch at once: each delivery is one planner’s', async () => {
        const all = Array.from({ length: 20 }, (_, n) => planned('a', n, 'started'));
        const [mine, theirs] = await Promise.all([store.plan(planOf(all), leaseOf('one', 1)), other.plan(planOf(all), leaseOf('two', 1))]);
        expect([...mine, ...theirs].sort()).toEqual(all.map(({ id }) => id).sort());
      });

      it('one takes over what the other held once its lease has run out, and the paused one that wakes changes nothing', async () => {
        await store.plan(planOf([planned('a', 1, 'started')]), leaseOf('one', 1, 30));
        expect(await other.recover({ now: t(30), leftBy: 'two' })).toBe(0);
        expect(await other.recover({ now: t(31), leftBy: 'two' })).toBe(1);
        await store.finish([succeeded(planned('a', 1))], 'one');
        expect(await statusOf(planned('a', 1).id)).toBe('due');
        await other.takeDue(endpointOf('a'), 1, leaseOf('two', 32));
        await store.finish([succeeded(planned('a', 1))], 'one');
        await store.renew([planned('a', 1).id], leaseOf('one', 32, 1_000));
        expect(await store.nextDueAt(t(32))).toBe(t(62));
        await other.finish([succeeded(planned('a', 1), 40, 2)], 'two');
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'unknown' }, { number: 2, outcome: 'succeeded' }] });
      });

      it('a lease taken over by its own holder’s later attempt is not ended by the earlier one', async () => {
        await store.plan(planOf([planned('a', 1, 'started')]), leaseOf('one', 1, 30));
        await store.recover({ now: t(31) });
        await store.takeDue(endpointOf('a'), 1, leaseOf('one', 32));
        await store.finish([succeeded(planned('a', 1), 33, 1)], 'one');
        expect(await statusOf(planned('a', 1).id)).toBe('started');
      });

      it('a lease that is renewed is not taken over', async () => {
        await store.plan(planOf([planned('a', 1, 'started')]), leaseOf('one', 1, 30));
        await store.renew([planned('a', 1).id], leaseOf('one', 20, 30));
        expect(await other.recover({ now: t(49) })).toBe(0);
        expect(await other.recover({ now: t(50) })).toBe(1);
      });
    });

    describe('keeping house', () => {
      it('cancels what waits for an endpoint, not what is under way or another’s', async () => {
        await store.plan(planOf([planned('a', 1), planned('a', 2, 'started'), planned('a', 3), planned('b', 4)]), leaseOf('one', 1));
        expect(await store.cancel(endpointOf('a'), 'unsubscribed', t(9))).toBe(2);
        expect(await store.get(planned('a', 1).id)).toMatchObject({ status: 'cancelled', reason: 'unsubscribed', finishedAt: t(9), dueAt: null });
        expect(await store.counts(endpointOf('a'))).toMatchObject({ cancelled: 2, started: 1, due: 0 });
        expect(await store.counts()).toEqual({ due: 1, started: 1, succeeded: 0, failed: 0, cancelled: 2 });
        expect(await store.takeDue(endpointOf('a'), 5, leaseOf('one', 10))).toEqual([]);
      });

      it('lists an endpoint’s deliveries newest first, page by page', async () => {
        const all = Array.from({ length: 7 }, (_, n) => planned('a', n, n % 2 === 0 ? 'started' : 'due'));
        await store.plan(planOf([...all, planned('b', 50)]), leaseOf('one', 1));
        const seen: DeliveryId[] = [];
        for (let pages = 0; pages < 4; pages++) {
          const last = seen.at(-1);
          seen.push(...(await store.list({ endpointId: endpointOf('a'), limit: 2, ...(last && { after: last }) })).map(({ id }) => id));
        }
        expect(seen).toEqual(all.map(({ id }) => id).reverse());
      });

      it('removes finished deliveries of before an instant in steps, never what waits', async () => {
        const all = [1, 2, 3, 4].map((n) => planned('a', n, 'started'));
        await store.plan(planOf([...all, planned('a', 5)]), leaseOf('one', 1));
        await store.finish([succeeded(planned('a', 1), 10), succeeded(planned('a', 2), 11), succeeded(planned('a', 3), 12)], 'one');
        expect(await store.expire(t(12), 1)).toBe(1);
        expect(await store.get(planned('a', 1).id)).toBeUndefined();
        expect(await store.expire(t(12), 5)).toBe(1);
        expect(await store.expire(t(12), 5)).toBe(0);
        expect(await store.counts(endpointOf('a'))).toEqual({ due: 1, started: 1, succeeded: 1, failed: 0, cancelled: 0 });
      });
    });
  });
