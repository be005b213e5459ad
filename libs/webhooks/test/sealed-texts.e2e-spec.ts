import { newId, type EndpointId } from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import type { Running } from './workbench.js';

newHarnessForEach();

const sealed = /^v1\.[\w-]+$/;
const affiliate = newId('affiliate');
let clock: ManualClock;
let endpoint: EndpointId;
let running: Running;
beforeEach(async () => {
  clock = new ManualClock();
  endpoint = await bench.subscribe(receiver.url('/hook'), ['*']);
  running = await bench.start({ clock, schedule: [5_000, 5_000, 5_000] });
});

const deliveries = () => running.store.list({ endpointId: endpoint, limit: 10 });
const theDelivery = async () => present((await deliveries())[0]);
const counted = (status: 'succeeded' | 'held' | 'waiting', count: number) =>
  waitFor(async () => (await running.store.counts(endpoint))[status] === count);
const bodies = () => receiver.received.map(({ body }) => body);
/** The affiliate's delivery, after one attempt that failed. */
const failOnce = async (): Promise<void> => {
  receiver.respond('/hook', () => 500);
  await writer.createAffiliate(affiliate, 'Ada');
  await bench.waitForRetries(running, endpoint);
  receiver.respond('/hook', () => 200);
};

it('bodies are stored sealed, planned or held, and sent open', async () => {
  await writer.createAffiliate(affiliate, 'Ada');
  await counted('succeeded', 1);
  await bench.update(endpoint, { status: 'paused' });
  await writer.renameAffiliate(affiliate, 'Countess');
  await counted('held', 1);
  await bench.update(endpoint, { status: 'enabled' });
  await counted('succeeded', 2);

  const stored = (await deliveries()).filter(({ eventType }) => eventType.startsWith('affiliate.'));
  expect(stored).toHaveLength(2);
  for (const delivery of stored) {
    expect(delivery.body).toMatch(sealed);
    const key = await bench.keys.texts.keyOf(delivery);
    expect(bodies()).toContain(key.openBody(delivery.body));
    const { sealedResponse } = present(delivery.attempts[0]);
    expect(sealedResponse).toMatch(sealed);
    expect(await key.openResponse(present(sealedResponse))).toMatchObject({ isTruncated: false });
  }
});

it('a body that no longer opens since its affiliate was erased is made from the log, and no response is stored', async () => {
  await failOnce();
  const { body } = await theDelivery();
  bench.keys.erased.add(affiliate);
  clock.advance(5_000);
  await counted('succeeded', 1);
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toBe(bodies()[0]);
  expect(await theDelivery()).toMatchObject({
    body,
    attempts: [{ sealedResponse: expect.any(String) as string }, { sealedResponse: null }],
  });
});

it('no body is stored of an erased affiliate, planned or held, and it is sent still', async () => {
  bench.keys.erased.add(affiliate);
  await writer.createAffiliate(affiliate, 'Ada');
  await counted('succeeded', 1);
  await bench.update(endpoint, { status: 'paused' });
  await writer.renameAffiliate(affiliate, 'Countess');
  await counted('held', 1);
  await bench.update(endpoint, { status: 'enabled' });
  await counted('succeeded', 2);
  const none = { body: null, attempts: [{ sealedResponse: null }] };
  expect(await deliveries()).toMatchObject([none, none]);
  expect(bodies().map((body) => body.includes('"type":"affiliate.'))).toEqual([true, true]);
});

it('a lost key delays the deliveries that need it, and no others', async () => {
  await failOnce();
  bench.keys.lost.add(affiliate);
  clock.advance(5_000);
  const { id } = await theDelivery();
  const message = `webhook-dispatcher: opening the body of ${id} failed; retrying`;
  await waitFor(() => bench.logged.some((line) => line.message === message));
  await writer.createAffiliate(newId('affiliate'), 'Bob');
  await counted('succeeded', 1);
  await waitFor(async () => (await running.store.get(id))?.status === 'waiting');
  expect(await running.store.get(id)).toMatchObject({ attemptCount: 1, failures: 1 });

  bench.keys.lost.clear();
  clock.advance(30_000);
  await counted('succeeded', 2);
  expect(bodies()[2]).toBe(bodies()[0]);
});

it('a key that is lost while deliveries are held delays the delivery that needs it, and no other', async () => {
  await bench.update(endpoint, { status: 'paused' });
  await writer.createAffiliate(affiliate, 'Ada');
  await writer.createAffiliate(newId('affiliate'), 'Bob');
  await counted('held', 2);
  bench.keys.lost.add(affiliate);
  await bench.update(endpoint, { status: 'enabled' });
  await counted('succeeded', 1);
  await counted('waiting', 1);

  bench.keys.lost.clear();
  clock.advance(30_000);
  await counted('succeeded', 2);
  expect(bodies().map((body) => body.includes(affiliate))).toEqual([false, true]);
});
