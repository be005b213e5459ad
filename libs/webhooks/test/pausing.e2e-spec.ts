import { newId, type EndpointId } from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';
import { hourMs } from '../src/maintenance/held-sweep.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Running } from './workbench.js';

newHarnessForEach();

const subscribe = (path = '/hook'): Promise<EndpointId> =>
  bench.subscribe(receiver.url(path), ['affiliate.created', 'affiliate.updated']);
const pause = (endpoint: EndpointId) => bench.update(endpoint, { status: 'paused' });
const enable = (endpoint: EndpointId) => bench.update(endpoint, { status: 'enabled' });
const drop = (endpoint: EndpointId) => bench.update(endpoint, { status: 'enabled', held: 'drop' });
const happen = async (count: number): Promise<readonly string[]> => {
  const names = Array.from({ length: count }, () => newId('event'));
  for (const name of names) await writer.createAffiliate(newId('affiliate'), name);
  return names;
};
/** The names of the affiliates in the requests that arrived there, in their order. */
const namesAt = (path: string): readonly string[] =>
  receiver.requestsTo(path).map(({ body }) => (JSON.parse(body) as Body).data.name);
interface Body {
  readonly data: { readonly name: string };
}
const countsUntil = (
  { store }: Running,
  endpoint: EndpointId,
  wanted: Partial<Awaited<ReturnType<Running['store']['counts']>>>,
): Promise<unknown> =>
  waitFor(async () => {
    const counts = await store.counts(endpoint);
    return Object.entries(wanted).every(([status, n]) => counts[status as 'held'] === n);
  });

describe('a paused endpoint', () => {
  it('gets what was held once it is enabled, oldest first, each once, and new events at once', async () => {
    const endpoint = await subscribe();
    const running = await bench.start({ limits: { perEndpoint: 1, total: 8 } });
    await pause(endpoint);
    const held = await happen(5);
    await countsUntil(running, endpoint, { held: 5 });
    await bench.caughtUp(running);
    expect(receiver.received).toEqual([]);
    await enable(endpoint);
    await countsUntil(running, endpoint, { succeeded: 5 });
    expect(namesAt('/hook')).toEqual(held);
    const later = await happen(1);
    await countsUntil(running, endpoint, { succeeded: 6 });
    expect(namesAt('/hook')).toEqual([...held, ...later]);
  });

  it('gets each record as it was at its event, with the same bytes as any other endpoint', async () => {
    const [endpoint, other] = [await subscribe(), await subscribe('/other')];
    const running = await bench.start();
    await pause(endpoint);
    const affiliate = newId('affiliate');
    await writer.createAffiliate(affiliate, 'first');
    for (const name of ['second', 'third']) await writer.renameAffiliate(affiliate, name);
    await countsUntil(running, other, { succeeded: 3 });
    await enable(endpoint);
    await countsUntil(running, endpoint, { succeeded: 3 });
    const bodiesAt = (path: string) =>
      receiver
        .requestsTo(path)
        .map(({ body }) => body)
        .sort();
    expect(bodiesAt('/hook')).toEqual(bodiesAt('/other'));
    expect([...namesAt('/hook')].sort()).toEqual(['first', 'second', 'third']);
    const [last] = await running.store.list({ endpointId: endpoint, limit: 1 });
    const key = await bench.keys.texts.keyOf(present(last));
    expect(key.openBody(present(last).body)).toContain('third');
  });

  it('has its retries held with their attempts so far, and what fails in flight is held, too', async () => {
    const clock = new ManualClock();
    const endpoint = await subscribe();
    receiver.respond('/hook', () => 500);
    const running = await bench.start({ clock });
    await happen(1);
    await bench.waitForRetries(running, endpoint);
    let respond: () => void = () => undefined;
    receiver.respond('/hook', () => new Promise((resolve) => (respond = () => resolve(500))));
    await happen(1);
    await waitFor(() => receiver.received.length === 2);
    await pause(endpoint);
    await countsUntil(running, endpoint, { held: 1, sending: 1 });
    respond();
    await countsUntil(running, endpoint, { held: 2 });
    for (const delivery of await running.store.list({ endpointId: endpoint, limit: 2 }))
      expect(delivery).toMatchObject({ failures: 1, attemptCount: 1, dueAt: null });
    receiver.respond('/hook', () => 200);
    await enable(endpoint);
    await countsUntil(running, endpoint, { succeeded: 2 });
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(2);
  });

  it('is not disabled by a 410 that was in flight, and that delivery is held', async () => {
    const endpoint = await subscribe();
    let respond: () => void = () => undefined;
    receiver.respond('/hook', () => new Promise((resolve) => (respond = () => resolve(410))));
    const running = await bench.start();
    await happen(1);
    await waitFor(() => receiver.received.length === 1);
    await pause(endpoint);
    respond();
    await countsUntil(running, endpoint, { held: 1 });
    expect(await bench.eventsOf('webhook.disabled')).toBe(0);
    receiver.respond('/hook', () => 200);
    await enable(endpoint);
    await countsUntil(running, endpoint, { succeeded: 1 });
  });

  it('loses nothing when the dispatcher is killed right after it is enabled, and sends nothing twice', async () => {
    const endpoint = await subscribe();
    await pause(endpoint);
    const held = await happen(30);
    const first = await bench.start();
    await countsUntil(first, endpoint, { held: 30 });
    await enable(endpoint);
    await waitFor(() => receiver.received.length > 0);
    await first.kill();
    const second = await bench.start();
    await countsUntil(second, endpoint, { succeeded: 30 });
    const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
    expect(new Set(ids).size).toBe(30);
    expect([...new Set(namesAt('/hook'))].sort()).toEqual([...held].sort());
  });

  it('that was paused and enabled while the service was down gets everything', async () => {
    const endpoint = await subscribe();
    const first = await bench.start();
    await bench.caughtUp(first);
    await first.stop();
    await happen(2);
    await pause(endpoint);
    await happen(2);
    await enable(endpoint);
    await happen(2);
    const second = await bench.start();
    await countsUntil(second, endpoint, { succeeded: 6 });
    expect(receiver.received).toHaveLength(6);
  });

  it('has its deliveries canceled when it is unsubscribed', async () => {
    const endpoint = await subscribe();
    await pause(endpoint);
    const running = await bench.start();
    await happen(2);
    await countsUntil(running, endpoint, { held: 2 });
    await bench.unsubscribe(receiver.url('/hook'));
    await countsUntil(running, endpoint, { canceled: 2 });
    expect(receiver.received).toEqual([]);
  });

  it('has them canceled once they have been held for too long, and removed by the next sweep', async () => {
    const clock = new ManualClock(Date.now());
    const endpoint = await subscribe();
    await pause(endpoint);
    const running = await bench.start({ clock, heldRetentionMs: 10 * hourMs });
    await happen(2);
    await countsUntil(running, endpoint, { held: 2 });
    await sweepIn(clock, 9 * hourMs);
    expect(await running.store.counts(endpoint)).toMatchObject({ held: 2 });
    await sweepIn(clock, 2 * hourMs);
    expect(await running.store.counts(endpoint)).toMatchObject({ held: 0, canceled: 2 });
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.reason).toBe(
      'held too long',
    );
    await sweepIn(clock, hourMs);
    expect(await running.store.list({ endpointId: endpoint, limit: 1 })).toEqual([]);
  });
});

/** Lets so much time pass, an hour or more, and waits until what happens every hour has ended. */
const sweepIn = async (clock: ManualClock, ms: number): Promise<void> => {
  // the sweep, and the retention of what has ended
  const areWaiting = (): Promise<unknown> => waitFor(() => clock.dueIn(hourMs) === 2);
  await areWaiting();
  clock.advance(ms);
  await areWaiting();
};

describe('dropping', () => {
  it('cancels what is held, waits or was not planned yet, and nothing of later events', async () => {
    const endpoint = await subscribe();
    receiver.respond('/hook', () => 500);
    const clock = new ManualClock();
    const first = await bench.start({ clock });
    await happen(1);
    await bench.waitForRetries(first, endpoint);
    await pause(endpoint);
    await happen(2);
    await countsUntil(first, endpoint, { held: 3 });
    await first.stop();
    await happen(2);
    await drop(endpoint);
    receiver.respond('/hook', () => 200);
    const later = await happen(2);
    const attempted = receiver.received.length;
    const second = await bench.start({ clock });
    await countsUntil(second, endpoint, { canceled: 5, succeeded: 2 });
    expect(new Set(namesAt('/hook').slice(attempted))).toEqual(new Set(later));
    const canceled = (await second.store.list({ endpointId: endpoint, limit: 9 })).filter(
      ({ status }) => status === 'canceled',
    );
    expect(canceled.map(({ reason }) => reason)).toEqual(
      Array(5).fill('dropped when the endpoint was enabled'),
    );
  });

  it('works on an enabled endpoint, where an attempt in flight may still succeed', async () => {
    const endpoint = await subscribe();
    let respond: () => void = () => undefined;
    receiver.respond('/hook', () => new Promise((resolve) => (respond = () => resolve(200))));
    const running = await bench.start({ limits: { perEndpoint: 1, total: 8 } });
    await happen(3);
    await waitFor(() => receiver.received.length === 1);
    await drop(endpoint);
    await countsUntil(running, endpoint, { canceled: 2 });
    respond();
    await countsUntil(running, endpoint, { succeeded: 1, canceled: 2 });
    expect(receiver.received).toHaveLength(1);
  });
});

it('an endpoint that was gone gets nothing until it is paused or enabled, and then what was held', async () => {
  const endpoint = await subscribe();
  receiver.respond('/hook', () => 410);
  const running = await bench.start();
  await happen(1);
  await countsUntil(running, endpoint, { failed: 1 });
  await happen(1);
  await bench.caughtUp(running);
  await pause(endpoint);
  const held = await happen(1);
  await countsUntil(running, endpoint, { held: 1 });
  receiver.respond('/hook', () => 200);
  await enable(endpoint);
  await countsUntil(running, endpoint, { failed: 1, succeeded: 1, held: 0 });
  expect(namesAt('/hook').slice(1)).toEqual(held);
  expect(others.received).toEqual([]);
});
