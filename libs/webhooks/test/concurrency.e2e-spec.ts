import { setTimeout as sleep } from 'node:timers/promises';
import { derivedId, newId } from '@refledger/contracts';
import { EventWriter } from '@refledger/event-bus/conformance';
import { until } from '@refledger/testing';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';
import { ManualClock } from './manual-clock.js';
import type { Receiver } from './receiver.js';

newHarnessForEach();

/** Answers each request to this path after a while, and counts those that are in progress. */
class Concurrency {
  peak = 0;
  status = 200;
  private now = 0;

  constructor(there: Receiver, path: string, ms: number) {
    there.respond(path, async () => {
      this.peak = Math.max(this.peak, ++this.now);
      await sleep(ms);
      this.now--;
      return this.status;
    });
  }
}

const events = async (count: number, by = writer): Promise<void> => {
  for (let n = 0; n < count; n++) await by.createAffiliate(newId('affiliate'));
};

/**
 * Adds events until this many requests have been in flight at once. Resolves to how many events
 * were added.
 */
const eventsUntil = async (requests: Concurrency, peak: number): Promise<number> => {
  let added = 0;
  for (; requests.peak < peak; added += 50) await events(50);
  return added;
};

describe('the requests in flight to an endpoint', () => {
  it('that answers after 100 ms increase while deliveries wait', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const requests = new Concurrency(receiver, '/hook', 100);
    await events(400);
    const { store } = await bench.start();
    const all = 400 + (await eventsUntil(requests, 32));
    await until(async () => (await store.counts(endpoint)).succeeded === all);
    expect(receiver.received).toHaveLength(all);
    expect(requests.peak).toBeLessThanOrEqual(64);
  });

  it('that begins to fail drop to at most 8 again', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const requests = new Concurrency(receiver, '/hook', 20);
    await events(600);
    const { store } = await bench.start();
    await eventsUntil(requests, 32);
    requests.status = 500;
    await events(200);
    // each request that is in flight when the first one fails has been answered by then
    const since = receiver.received.length;
    await until(() => receiver.received.length >= since + 128);
    requests.peak = 0;
    const before = receiver.received.length;
    await until(() => receiver.received.length >= before + 64);
    expect(requests.peak).toBeLessThanOrEqual(8);
    expect((await store.counts()).waiting).toBeGreaterThan(0);
  });

  it('that stops responding take no slot from a quick one', async () => {
    const quick = await bench.subscribe(receiver.url('/quick'), ['affiliate.created']);
    await bench.subscribe(others.url('/hook'), ['affiliate.created']);
    const requests = new Concurrency(others, '/hook', 100);
    await events(400);
    // 32 of these slots are for quick endpoints; time stands still, so no request ever counts as
    // slow
    const running = await bench.start({
      timeoutMs: 60_000,
      limits: { perEndpoint: 64, total: 64 },
      clock: new ManualClock(),
    });
    await until(() => requests.peak >= 20);
    others.respond('/hook', () => 'never');
    await until(() => others.holding >= 20);
    await events(100);
    await until(async () => (await running.store.counts(quick)).succeeded === 500);
    expect(others.holding).toBeLessThanOrEqual(24);
  });
});

it('an account with one endpoint gets as many turns as one with twenty', async () => {
  const small = derivedId('account', 'small');
  for (let n = 0; n < 20; n++) await bench.subscribe(others.url(`/${n}`), ['affiliate.created']);
  const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created'], small);
  await events(50);
  await events(50, new EventWriter(bench.log, small));
  receiver.respond('/hook', () => sleep(5, 200));
  for (let n = 0; n < 20; n++) others.respond(`/${n}`, () => sleep(5, 200));
  // two of these slots are for quick endpoints
  const { store } = await bench.start({ limits: { perEndpoint: 1, total: 4 } });
  await until(() => receiver.received.length > 0);
  const before = others.received.length;
  await until(() => receiver.received.length === 50);
  expect(others.received.length - before).toBeLessThan(600);
  await until(async () => (await store.counts(endpoint)).succeeded === 50);
});
