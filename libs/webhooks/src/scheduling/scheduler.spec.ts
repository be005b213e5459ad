import type { EndpointId, Position } from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  a,
  b,
  begin,
  clock,
  failures,
  inFlight,
  limited,
  newSchedulerForEach,
  plan,
  planned,
  requests,
  respondToOne,
  scheduler,
  store,
} from '../../test/scheduler-bench.js';
import type { Reservation } from './scheduler.js';

newSchedulerForEach();

it('a hanging endpoint does not block any quick slot, and its prefetched deliveries are released', async () => {
  await plan(a, 40);
  begin({ perEndpoint: 2, total: 4 });
  await waitFor(() => inFlight(a) === 1);
  respondToOne(a);
  await waitFor(() => inFlight(a) === 2);
  // the first delivery has succeeded; a second claim brings one delivery to send and 32 to prefetch
  await waitFor(async () => (await store.counts(a)).sending > 20);
  await plan(b, 1);
  scheduler.enqueue([b]);
  clock.advance(249);
  await new Promise(setImmediate);
  expect(inFlight(b)).toBe(0);
  clock.advance(1);
  await waitFor(() => inFlight(b) === 1);
  expect(inFlight(a)).toBe(2);
  clock.advance(2_500);
  await waitFor(async () => (await store.counts(a)).waiting === 37);
  expect((await store.counts(a)).sending).toBe(2);
});

it('slow endpoints alternate: a free slot goes to the other one', async () => {
  await plan(a, 5);
  await plan(b, 5);
  begin({ perEndpoint: 2, total: 4 });
  await waitFor(() => inFlight(a) === 1 && inFlight(b) === 1);
  // both hang, and share one slot from now on
  clock.advance(2_500);
  respondToOne(a);
  respondToOne(b);
  const order: EndpointId[] = [];
  for (let n = 0; n < 6; n++) {
    await waitFor(() => requests.length === 1);
    order.push(requests[0]?.endpoint ?? a);
    clock.advance(2_500);
    requests[0]?.respond();
  }
  expect(order).toEqual([a, b, a, b, a, b]);
});

it('claims nothing more for a hanging endpoint that has never responded', async () => {
  await plan(a, 3);
  begin();
  await waitFor(() => inFlight(a) === 1);
  expect(await store.counts(a)).toMatchObject({ sending: 1, waiting: 2 });
});

it('sends no faster than an endpoint allows, which holds no slot meanwhile', async () => {
  limited.set(a, 1);
  await plan(a, 3);
  begin();
  await waitFor(() => inFlight(a) === 1);
  respondToOne(a);
  await waitFor(async () => (await store.counts(a)).succeeded === 1);
  await new Promise(setImmediate);
  expect([inFlight(a), scheduler.inFlight]).toEqual([0, 0]);
  // another endpoint has no such limit
  await plan(b, 3);
  scheduler.enqueue([b]);
  await waitFor(() => inFlight(b) === 1);
  await waitFor(() => (clock.advance(10), inFlight(a) === 1));
});

it('asks for no tokens while it is halted', async () => {
  limited.set(a, 1);
  await plan(a, 3);
  let asked = 0;
  begin(undefined, {
    takeTokens: (...of) => {
      asked++;
      return store.takeTokens(...of);
    },
  });
  await waitFor(() => inFlight(a) === 1);
  scheduler.halt();
  respondToOne(a);
  await scheduler.settled();
  const before = asked;
  for (let n = 0; n < 50; n++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  expect(asked).toBe(before);
});

it('prefetches no more than an endpoint allows in a second', async () => {
  limited.set(a, 3);
  await plan(a, 40);
  begin({ perEndpoint: 2, total: 8 });
  await waitFor(() => inFlight(a) === 1);
  respondToOne(a);
  await waitFor(async () => (await store.counts(a)).succeeded === 1);
  await waitFor(async () => (clock.advance(10), (await store.counts(a)).sending > 0));
  await new Promise(setImmediate);
  expect((await store.counts(a)).sending).toBeLessThanOrEqual(4);
});

it('a failed claim is retried', async () => {
  await plan(a, 1);
  let fails = true;
  begin(undefined, {
    claim: (...how) =>
      fails ? Promise.reject(new Error('the disk is full')) : store.claim(...how),
  });
  await waitFor(() => failures.length === 1);
  fails = false;
  clock.advance(1_000);
  await waitFor(() => inFlight(a) === 1);
  expect(failures).toEqual(['claiming waiting deliveries']);
  expect(scheduler.inFlight).toBe(1);
});

it('sends and reserves nothing while many outcomes are not recorded, and then the rest', async () => {
  await plan(a, 600);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  begin(undefined, {
    recordOutcomes: async (...outcomes) => {
      await opened;
      await store.recordOutcomes(...outcomes);
    },
  });
  let answered = 0;
  const answer = async (): Promise<void> => {
    for (let n = 0; n < 50; n++) {
      for (; inFlight(a) > 0; answered++) respondToOne(a);
      await new Promise(setImmediate);
    }
  };
  await waitFor(async () => (await answer(), answered >= 500));
  await answer();
  const whileBehind = { answered, reserved: scheduler.reserve(b) };
  await plan(b, 1);
  scheduler.enqueue([b]);
  await new Promise(setImmediate);
  const begun = requests.length;
  open();
  // 500, and what was in flight or reserved then
  expect(whileBehind.answered).toBeLessThan(600);
  expect([whileBehind.reserved, begun]).toEqual([undefined, 0]);
  await waitFor(async () => (await answer(), (await store.counts(a)).succeeded === 600));
  await waitFor(() => inFlight(b) === 1);
});

it('sends what it claims once the endpoints are followed to where it was decided', async () => {
  await plan(a, 3);
  const followed: (Position | undefined)[] = [];
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  begin(undefined, {}, (position) => (followed.push(position), arrived));
  await waitFor(() => followed.length === 1);
  await new Promise(setImmediate);
  expect(followed).toEqual([String(planned - 2)]);
  expect(inFlight(a)).toBe(0);
  arrive();
  await waitFor(() => inFlight(a) === 1);
  // now it claims both others in one step
  respondToOne(a);
  await waitFor(() => inFlight(a) === 2);
  expect(followed.at(-1)).toBe(String(planned));
});

it('releases what it claims when the endpoints cannot be followed that far, and claims it again', async () => {
  const [delivery] = await plan(a, 1);
  let lags = true;
  begin(undefined, {}, () =>
    lags ? Promise.reject(new Error('the log has not reached it yet')) : Promise.resolve(),
  );
  await waitFor(() => failures.length === 1);
  expect(await store.get(present(delivery).id)).toMatchObject({ status: 'waiting', attempts: [] });
  lags = false;
  clock.advance(1_000);
  await waitFor(() => inFlight(a) === 1);
  expect(failures).toEqual(['claiming waiting deliveries']);
  expect(scheduler.inFlight).toBe(1);
});

it('releases prefetched deliveries when it halts, and claims them again', async () => {
  await plan(a, 40);
  begin();
  await waitFor(() => inFlight(a) === 1);
  respondToOne(a);
  await waitFor(async () => inFlight(a) === 2 && (await store.counts(a)).sending > 20);
  scheduler.halt();
  await waitFor(async () => (await store.counts(a)).waiting === 37);
  scheduler.begin();
  respondToOne(a);
  await waitFor(() => inFlight(a) === 2);
});

describe('room for deliveries that are being planned', () => {
  const use = async (reservation: Reservation | undefined): Promise<void> => {
    const [delivery] = await plan(a, 1, 'sending');
    reservation?.use(present(delivery));
  };

  it('is one slot for an endpoint that has not responded, and free again once released', () => {
    begin();
    scheduler.reserve(a)?.release();
    expect(scheduler.reserve(a)).toBeDefined();
    expect(scheduler.reserve(a)).toBeUndefined();
  });

  it('is the slots of a quick endpoint, then its prefetch buffer, which empties into free slots without another write', async () => {
    begin(undefined, { claim: () => Promise.reject(new Error('nothing to take')) });
    await use(scheduler.reserve(a));
    respondToOne(a);
    await waitFor(async () => (await store.counts(a)).succeeded === 1);
    for (const reservation of [scheduler.reserve(a), scheduler.reserve(a), scheduler.reserve(a)])
      await use(reservation);
    expect(inFlight(a)).toBe(2);
    respondToOne(a);
    await waitFor(() => requests.length === 2);
    expect(failures).toEqual([]);
  });

  it('is at most the prefetch buffer, including deliveries in it', async () => {
    begin();
    await use(scheduler.reserve(a));
    respondToOne(a);
    await waitFor(async () => (await store.counts(a)).succeeded === 1);
    const reserved = Array.from({ length: 100 }, () => scheduler.reserve(a)).filter(
      (reservation) => reservation !== undefined,
    );
    expect(reserved).toHaveLength(2 + 2 * 16);
    for (const reservation of reserved) reservation.release();
    expect(scheduler.reserve(a)).toBeDefined();
  });

  it('is not granted while deliveries wait in the store', async () => {
    await plan(a, 2);
    begin();
    await waitFor(() => inFlight(a) === 1);
    scheduler.enqueue([a]);
    expect(scheduler.reserve(a)).toBeUndefined();
  });

  it('that is lost because the scheduler halts or the endpoint hangs leaves the delivery due', async () => {
    begin();
    await use(scheduler.reserve(a));
    respondToOne(a);
    await waitFor(async () => (await store.counts(a)).succeeded === 1);
    const [first, second, third, fourth] = [
      scheduler.reserve(a),
      scheduler.reserve(a),
      scheduler.reserve(a),
      scheduler.reserve(a),
    ];
    await use(first);
    await use(second);
    clock.advance(2_500);
    await use(third);
    await waitFor(async () => (await store.counts(a)).waiting === 1);
    scheduler.halt();
    await use(fourth);
    await waitFor(async () => (await store.counts(a)).waiting === 2);
  });
});
