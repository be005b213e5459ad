import { setTimeout as sleep } from 'node:timers/promises';
import { derivedId, newId } from '@refledger/contracts';
import { EventWriter } from '@refledger/event-bus/conformance';
import { waitFor } from '@refledger/testing';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Receiver } from './receiver.js';

newHarnessForEach();

/**
 * Holds the requests to this path until they are answered, one by one, or all from some time on.
 */
class HeldRequests {
  peak = 0;
  private readonly held: ((status: number) => void)[] = [];
  private isOpen = false;

  constructor(there: Receiver, path: string) {
    there.respond(path, () => {
      if (this.isOpen) return 200;
      const answered = new Promise<number>((resolve) => this.held.push(resolve));
      this.peak = Math.max(this.peak, this.count);
      return answered;
    });
  }

  /** How many are in progress. */
  get count(): number {
    return this.held.length;
  }

  /** Answers the one that has been held for longest. */
  answer(status = 200): void {
    this.held.shift()?.(status);
  }

  answerAll(): void {
    this.isOpen = true;
    while (this.count > 0) this.answer();
  }
}

const events = async (count: number, by = writer): Promise<void> => {
  for (let n = 0; n < count; n++) await by.createAffiliate(newId('affiliate'));
};

/**
 * Answers a request each time that as many as allowed are in flight, which then allows one more,
 * until this many are in flight.
 */
const answerUntil = async (requests: HeldRequests, limit: number): Promise<void> => {
  await waitFor(() => requests.count === 1);
  requests.answer();
  for (let allowed = 8; allowed < limit; allowed++) {
    await waitFor(() => requests.count === allowed);
    requests.answer();
  }
  await waitFor(() => requests.count === limit);
};

/** Time stands still, so no request ever counts as slow. */
const start = (options: Parameters<typeof bench.start>[0] = {}) =>
  bench.start({ clock: new ManualClock(), ...options });

describe('the requests in flight to an endpoint', () => {
  it('that answers quickly increase while deliveries wait', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const requests = new HeldRequests(receiver, '/hook');
    await events(200);
    const { store } = await start();
    await answerUntil(requests, 64);
    // that is the most
    requests.answer();
    await waitFor(() => requests.count === 64);
    requests.answerAll();
    await waitFor(async () => (await store.counts(endpoint)).succeeded === 200);
    expect(receiver.received).toHaveLength(200);
    expect(requests.peak).toBe(64);
  });

  it('that starts to fail drop to at most 8 again', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const requests = new HeldRequests(receiver, '/hook');
    await events(200);
    const { store } = await start();
    await answerUntil(requests, 32);
    // each request that is in flight when the first one fails has been answered by then
    for (let n = 0; n < 64; n++) {
      // the last one stays in flight: a limit begins again once nothing is
      await waitFor(() => requests.count > 1);
      requests.answer(500);
    }
    requests.peak = 0;
    await waitFor(() => requests.count === 8);
    // more would come meanwhile, if they were allowed
    for (let n = 0; n < 100; n++) await store.counts();
    expect(requests.peak).toBe(8);
    expect((await store.counts()).waiting).toBeGreaterThan(0);
  });

  it('that stops responding take no slot from a quick one', async () => {
    const quick = await bench.subscribe(receiver.url('/quick'), ['affiliate.created']);
    await bench.subscribe(others.url('/hook'), ['affiliate.created']);
    const requests = new HeldRequests(others, '/hook');
    await events(100);
    // 32 of these slots are for quick endpoints, and the last 8 are not for one that has others
    const { store } = await start({ limits: { perEndpoint: 64, total: 64 } });
    await answerUntil(requests, 24);
    requests.answer();
    await waitFor(() => requests.count === 24);
    await events(100);
    await waitFor(async () => (await store.counts(quick)).succeeded === 200);
    expect(requests.peak).toBe(24);
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
  await waitFor(() => receiver.received.length > 0);
  const before = others.received.length;
  await waitFor(() => receiver.received.length === 50);
  expect(others.received.length - before).toBeLessThan(600);
  await waitFor(async () => (await store.counts(endpoint)).succeeded === 50);
});
