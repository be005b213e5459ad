import { newId, toInstant, type EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { waitFor } from '@refledger/testing';
import { type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';

newHarnessForEach();

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** The default schedule: 70.7 hours, so that it is not used up after 60. */
const schedule = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  ...[1, 3, 6, 12, 24, 24].map((hours) => hours * hourMs),
];

let store: DeliveryStore;
let clock: ManualClock;
let endpoint: EndpointId;
let isUp: boolean;
beforeEach(async () => {
  store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: bench.directory });
  clock = new ManualClock();
  isUp = false;
  receiver.respond('/hook', () => (isUp ? 204 : 503));
  endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
});
// the harness has stopped the dispatchers
afterEach(() => store.close());

const start = (holder = 'only') =>
  bench.start({ store, clock, holder, schedule, disableAfterMs: 60 * hourMs });
const happen = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await writer.createAffiliate(newId('affiliate'));
};
const counts = () => store.counts(endpoint);
const eventsOf = async () => ({
  failing: await bench.eventsOf('webhook.failing'),
  recovered: await bench.eventsOf('webhook.recovered'),
  disabled: await bench.eventsOf('webhook.disabled'),
});
/** Lets time pass until there is such an event, and no attempt is due or in flight any more. */
const passUntil = async (event: 'webhook.failing' | 'webhook.disabled'): Promise<void> => {
  for (;;) {
    const now = toInstant(clock.now());
    await waitFor(
      async () => (await store.endpointsDue(now)).length === 0 && (await counts()).sending === 0,
    );
    if ((await bench.eventsOf(event)) > 0) return;
    clock.advance(hourMs);
  }
};

it('an endpoint that fails for 60 hours is failing once and disabled once, nothing is given up, and it catches up', async () => {
  await start('one');
  await start('two');
  await happen(3);
  await bench.waitForRetries({ store }, endpoint, 3);
  await passUntil('webhook.disabled');
  expect(await eventsOf()).toEqual({ failing: 1, recovered: 0, disabled: 1 });
  expect(clock.now()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1) + 60 * hourMs);
  await happen(1);
  await waitFor(async () => (await counts()).held === 4);
  expect(await counts()).toMatchObject({ failed: 0, canceled: 0, waiting: 0 });

  isUp = true;
  await bench.update(endpoint, { status: 'enabled' });
  await waitFor(async () => (await counts()).succeeded === 4);
  expect(await eventsOf()).toEqual({ failing: 1, recovered: 0, disabled: 1 });
});

it('an endpoint that recovers is retried at once, and then is not disabled for its past', async () => {
  await start();
  await happen(4);
  await bench.waitForRetries({ store }, endpoint, 4);
  await passUntil('webhook.failing');
  const since = (await store.series(endpoint))?.since;
  expect(since).toBe(toInstant(Date.UTC(2026, 0, 1)));
  isUp = true;
  const attempts = receiver.received.length;
  await happen(1);
  await waitFor(async () => (await counts()).succeeded === 5);
  // each of those that waited was tried once more, long before it was due
  expect(receiver.received).toHaveLength(attempts + 5);
  expect(await eventsOf()).toEqual({ failing: 1, recovered: 1, disabled: 0 });

  isUp = false;
  clock.advance(100 * hourMs);
  await happen(1);
  // a series begins only after the attempt
  await waitFor(() => store.series(endpoint));
  expect(await eventsOf()).toEqual({ failing: 1, recovered: 1, disabled: 0 });
});

it('a series ends when its endpoint is changed, before the next attempt', async () => {
  await start();
  await happen(1);
  await waitFor(() => store.series(endpoint));
  const target_url = receiver.url('/new');
  await bench.update(endpoint, { target: { target_url, target_key: target_url } });
  await waitFor(async () => (await store.series(endpoint)) === undefined);
  expect(receiver.received).toHaveLength(1);
});

it('other endpoints are told of an endpoint’s health, each change once', async () => {
  const kinds = ['webhook.failing', 'webhook.recovered', 'webhook.disabled'] as const;
  await bench.subscribe(others.url('/told'), kinds);
  await bench.update(endpoint, { events: ['affiliate.created', ...kinds] });
  const told = () =>
    others.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  await start();
  await happen(2);
  const { since } = await waitFor(() => store.series(endpoint));
  await passUntil('webhook.failing');
  isUp = true;
  await happen(1);
  await waitFor(async () => (await counts()).succeeded === 3);
  await waitFor(() => told().length === 2);
  expect(told()).toMatchObject([
    { type: 'webhook.failing', data: { id: endpoint, health: 'failing', failing_since: since } },
    { type: 'webhook.recovered', data: { id: endpoint, health: 'ok', failing_since: null } },
  ]);
  expect(await store.counts(endpoint)).toMatchObject({ succeeded: 3, waiting: 0, sending: 0 });
});

it('warns at the start if deliveries would be given up before their endpoint is disabled', async () => {
  const warnings = () =>
    bench.logged.filter(({ message }) => message.includes('WEBHOOK_DISABLE_AFTER')).length;
  await (await start()).stop();
  expect(warnings()).toBe(0);
  await bench.start({ store, schedule: [hourMs], disableAfterMs: hourMs });
  await waitFor(() => warnings() === 1);
});
