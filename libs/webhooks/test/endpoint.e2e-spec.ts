import { newId, type PublicEventType } from '@refledger/contracts';
import { accountId } from '@refledger/event-bus/conformance';
import { waitFor } from '@refledger/testing';
import { ConcurrencyLimiter } from '../src/scheduling/concurrency-limiter.js';
import { RateLimiter } from '../src/scheduling/rate-limiter.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';

newHarnessForEach();

describe('an endpoint', () => {
  it('that stops responding does not delay others, and has at most its limit of requests in flight, or one if it never responded', async () => {
    await bench.subscribe(receiver.url('/dead'), ['affiliate.created']);
    await bench.subscribe(receiver.url('/stops'), ['affiliate.created']);
    const alive = await bench.subscribe(receiver.url('/alive'), ['affiliate.created']);
    receiver.respond('/dead', () => 'never');
    receiver.respond('/stops', () => (receiver.requestsTo('/stops').length > 1 ? 'never' : 200));
    const running = await bench.start({ timeoutMs: 60_000, limits: { perEndpoint: 4, total: 64 } });
    for (let n = 0; n < 50; n++) await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await running.store.counts(alive)).succeeded === 50);
    await waitFor(() => receiver.holding === 5);
    expect(receiver.requestsTo('/dead')).toHaveLength(1);
    expect(receiver.requestsTo('/stops')).toHaveLength(5);
  });

  it('that is quick gets everything while 99 formerly quick ones hang', async () => {
    let [hang, respondToAll] = [false, (): void => undefined];
    const answered = new Promise<number>((resolve) => (respondToAll = () => resolve(200)));
    for (let n = 0; n < 99; n++) {
      await bench.subscribe(others.url(`/${n}`), ['affiliate.created']);
      others.respond(`/${n}`, () => (hang ? answered : 200));
    }
    const quick = await bench.subscribe(receiver.url('/quick'), ['affiliate.created']);
    const running = await bench.start({
      timeoutMs: 60_000,
      limits: { perEndpoint: 8, total: 128 },
    });
    for (let n = 1; n <= 3; n++) {
      await writer.createAffiliate(newId('affiliate'));
      await waitFor(async () => (await running.store.counts()).succeeded === n * 100);
    }
    hang = true;
    for (let n = 0; n < 15; n++) await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await running.store.counts(quick)).succeeded === 18);
    expect((await running.store.counts()).succeeded).toBe(300 + 15);
    respondToAll();
    await waitFor(async () => (await running.store.counts()).succeeded === 18 * 100);
  });

  it('with more deliveries than its limit gets all of them', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    for (let n = 0; n < 60; n++) await writer.createAffiliate(newId('affiliate'));
    const running = await bench.start({ limits: { perEndpoint: 3, total: 64 } });
    await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 60);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
  });

  it('that is unsubscribed has its waiting deliveries canceled immediately', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 500);
    const running = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await bench.waitForRetries(running, endpoint);
    await bench.unsubscribe(receiver.url('/hook'));
    await waitFor(async () => (await running.store.counts(endpoint)).canceled === 1);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.reason).toBe(
      'the endpoint was unsubscribed',
    );
  });

  it('whose target changes gets retries at the new target, and no longer at the earlier one', async () => {
    const endpoint = await bench.subscribe(receiver.url('/old'), ['affiliate.created']);
    receiver.respond('/old', () => 500);
    const clock = new ManualClock();
    const running = await bench.start({ clock });
    await writer.createAffiliate(newId('affiliate'));
    await bench.waitForRetries(running, endpoint);
    const url = receiver.url('/new');
    await bench.endpoints(accountId, {
      type: 'update',
      endpoint_id: endpoint,
      patch: { target: { target_url: url, target_key: url } },
    });
    // planning an event follows the endpoints up to it
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
    clock.advance(5_000);
    await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 2);
    expect(receiver.requestsTo('/new')).toHaveLength(2);
    expect(receiver.requestsTo('/old')).toHaveLength(1);
  });

  it('that is unsubscribed leaves nothing in memory, while one that is disabled stays known', async () => {
    const forgotten = [
      jest.spyOn(ConcurrencyLimiter.prototype, 'forget'),
      jest.spyOn(RateLimiter.prototype, 'forget'),
    ];
    const [endpoint, other] = [
      await bench.subscribe(receiver.url('/hook'), ['affiliate.created']),
      await bench.subscribe(receiver.url('/other'), ['affiliate.created']),
    ];
    const running = await bench.start();
    await bench.endpoints(accountId, {
      type: 'disable',
      endpoint_id: other,
      version: 99,
      reason: 'gone',
    });
    await bench.unsubscribe(receiver.url('/hook'));
    await writer.createAffiliate(newId('affiliate'));
    await bench.caughtUp(running);
    for (const forget of forgotten) {
      await waitFor(() => forget.mock.calls.length > 0);
      expect(forget.mock.calls).toEqual([[endpoint]]);
      forget.mockRestore();
    }
  });

  it('that is unsubscribed while the service is down has its deliveries canceled, including unplanned ones', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 500);
    // time stands still, so that the retry is not due before the service is down
    const clock = new ManualClock();
    const first = await bench.start({ clock });
    await writer.createAffiliate(newId('affiliate'));
    await bench.waitForRetries(first, endpoint);
    await first.stop();
    await writer.createAffiliate(newId('affiliate'));
    await bench.unsubscribe(receiver.url('/hook'));
    const second = await bench.start({ clock });
    await waitFor(async () => (await second.store.counts(endpoint)).canceled === 2);
    expect(receiver.received).toHaveLength(1);
  });

  it('that responds with 410 is disabled, its unfinished deliveries are canceled, and nothing more is sent', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 410);
    for (let n = 0; n < 5; n++) await writer.createAffiliate(newId('affiliate'));
    const running = await bench.start({ limits: { perEndpoint: 1, total: 8 } });
    await waitFor(async () => {
      const { failed, canceled } = await running.store.counts(endpoint);
      return failed === 1 && canceled === 4;
    });
    expect(await bench.eventsOf('webhook.disabled')).toBe(1);
    const requests = receiver.received.length;
    await writer.createAffiliate(newId('affiliate'));
    await bench.caughtUp(running);
    expect(receiver.received).toHaveLength(requests);
  });

  it.each<[string, PublicEventType[]]>([
    ['changed', ['affiliate.created', 'affiliate.updated']],
    ['subscribed again with nothing new', ['affiliate.created']],
  ])(
    'that responds with 410 after it was %s stays enabled, and the delivery is retried',
    async (_, events) => {
      const clock = new ManualClock();
      const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
      receiver.respond('/hook', async () => {
        if (receiver.received.length > 1) return 200;
        await bench.subscribe(receiver.url('/hook'), events);
        return 410;
      });
      const running = await bench.start({ clock });
      await writer.createAffiliate(newId('affiliate'));
      await bench.waitForRetries(running, endpoint);
      clock.advance(5_000);
      await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
      expect(await bench.eventsOf('webhook.disabled')).toBe(0);
    },
  );
});
