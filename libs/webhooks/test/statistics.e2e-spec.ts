import { newId, toInstant, type EndpointId } from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { sumOf } from '@refledger/delivery-store';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Running } from './workbench.js';

newHarnessForEach();

/** What the store has counted of an endpoint. */
const counted = async ({ store }: Pick<Running, 'store'>, endpointId: EndpointId) => {
  const range = { endpointId, period: '24h', from: toInstant(0), to: toInstant(4e12) } as const;
  return sumOf((await store.statistics(range)).map(({ statistics }) => statistics));
};
const succeeded = ({ store }: Running, endpoint: EndpointId, count: number) =>
  waitFor(async () => (await store.counts(endpoint)).succeeded === count);

describe('statistics', () => {
  it('are written when the dispatcher closes, and added to by the next one', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    for (const times of [1, 2]) {
      const running = await bench.start();
      await writer.createAffiliate(newId('affiliate'));
      await succeeded(running, endpoint, times);
      await running.stop();
    }
    const { deliveries, attempts } = await counted(await bench.start(), endpoint);
    expect([deliveries, attempts]).toEqual([{ succeeded: 2 }, { succeeded: 2 }]);
  });

  it('may lack what a kill lost, but nothing else is lost', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    // time stands still, so nothing is written before the kill
    const killed = await bench.start({ clock: new ManualClock(Date.now()) });
    await writer.createAffiliate(newId('affiliate'));
    await succeeded(killed, endpoint, 1);
    await killed.kill();
    const next = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await succeeded(next, endpoint, 2);
    await next.stop();
    const last = await bench.start();
    expect((await counted(last, endpoint)).deliveries).toEqual({ succeeded: 1 });
    expect(await last.store.counts(endpoint)).toMatchObject({ succeeded: 2 });
  });

  it('count the deliveries that end with the subscription of their endpoint', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    await bench.update(endpoint, { status: 'paused' });
    const running = await bench.start();
    for (let n = 0; n < 3; n++) await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await running.store.counts(endpoint)).held === 3);
    await bench.unsubscribe(receiver.url('/hook'));
    await waitFor(async () => (await running.store.counts(endpoint)).canceled === 3);
    await running.stop();
    expect((await counted(await bench.start(), endpoint)).deliveries).toEqual({ canceled: 3 });
  });
});
