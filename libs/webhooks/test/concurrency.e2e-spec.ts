import { setTimeout as sleep } from 'node:timers/promises';
import { derivedId, newId } from '@refledger/contracts';
import { EventWriter } from '@refledger/event-bus/conformance';
import { until } from '@refledger/testing';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';

newHarnessForEach();

const events = async (count: number, by = writer): Promise<void> => {
  for (let n = 0; n < count; n++) await by.createAffiliate(newId('affiliate'));
};

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
  expect(others.received.length - before).toBeLessThan(200);
  await until(async () => (await store.counts(endpoint)).succeeded === 50);
});
