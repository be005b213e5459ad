import { newId, type OpenAffiliateRecord } from '@refledger/contracts';
import { affiliateFields, LosableKeys, plainPersonalData } from '@refledger/domain/testing';
import { eventually, waitFor } from '@refledger/testing';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';

newHarnessForEach();

let personalData: LosableKeys;
beforeEach(() => void (personalData = new LosableKeys()));

const subscribe = () =>
  bench.subscribe(receiver.url('/hook'), ['affiliate.created', 'affiliate.updated']);
/** The records in the requests that arrived, in their order. */
const received = () =>
  receiver.received.map(
    ({ body }) => (JSON.parse(body) as { readonly data: OpenAffiliateRecord }).data,
  );
const names = () => received().map(({ name }) => name);
/** The status, of which /health/ready is made, while keys are missing. */
const heldUp = { state: 'retrying', reason: 'The key store has no key of an affiliate.' };
const logged = (text: string) => waitFor(() => bench.logged.some((line) => line.message === text));

it('are in the clear in the body of a delivery, planned or held', async () => {
  const endpoint = await subscribe();
  const running = await bench.start({ personalData });
  const affiliate = newId('affiliate');
  await writer.createAffiliate(affiliate, 'Ada');
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
  await bench.update(endpoint, { status: 'paused' });
  await writer.renameAffiliate(affiliate, 'Countess');
  await waitFor(async () => (await running.store.counts(endpoint)).held === 1);
  await bench.update(endpoint, { status: 'enabled' });
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 2);

  const fields = { ...affiliateFields, email: 'a@example.com', status: 'pending' };
  expect(received()).toMatchObject([
    { ...fields, name: 'Ada' },
    { ...fields, name: 'Countess' },
  ]);
  for (const record of received()) expect(record).not.toHaveProperty('sealed');
});

it('that do not open let the dispatcher retry: it plans nothing, and delivers each event once when the keys are back', async () => {
  const endpoint = await subscribe();
  const states: string[] = [];
  const running = await bench.start({
    personalData: {
      openRecords: (records) => {
        if (personalData.isLost) states.push(running.dispatcher.status().state);
        return personalData.openRecords(records);
      },
    },
  });
  const affiliate = newId('affiliate');
  await writer.createAffiliate(affiliate, 'first');
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);

  personalData.isLost = true;
  await writer.renameAffiliate(affiliate, 'second');
  await writer.renameAffiliate(affiliate, 'third');
  await logged('webhook-dispatcher: following the events failed; retrying');
  expect(running.dispatcher.status()).toMatchObject(heldUp);
  // also while it tries again
  await waitFor(() => states.length >= 3);
  expect(new Set(states.slice(1))).toEqual(new Set(['retrying']));
  const { succeeded, ...others } = await running.store.counts(endpoint);
  expect([succeeded, ...Object.values(others)]).toEqual([1, 0, 0, 0, 0, 0]);

  personalData.isLost = false;
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 3);
  await bench.caughtUp(running);
  expect(names().toSorted()).toEqual(['first', 'second', 'third']);
  expect(running.dispatcher.status().state).toBe('running');
});

it('that do not open delay a held delivery without an attempt, and no other of its endpoint', async () => {
  const endpoint = await subscribe();
  const clock = new ManualClock();
  const lost = newId('affiliate');
  const running = await bench.start({
    clock,
    personalData: {
      openRecords: (records) =>
        (records.some(({ id }) => id === lost) ? personalData : plainPersonalData).openRecords(
          records,
        ),
    },
  });
  await bench.update(endpoint, { status: 'paused' });
  await writer.createAffiliate(lost, 'lost');
  await writer.createAffiliate(newId('affiliate'), 'other');
  await waitFor(async () => (await running.store.counts(endpoint)).held === 2);

  personalData.isLost = true;
  await bench.update(endpoint, { status: 'enabled' });
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
  expect(names()).toEqual(['other']);
  const delayed = { status: 'waiting', body: null, attemptCount: 0, attempts: [] };
  await eventually(async () => {
    const deliveries = await running.store.list({ endpointId: endpoint, limit: 10 });
    expect(deliveries.filter(({ objectId }) => objectId === lost)).toMatchObject([delayed]);
  });
  expect(running.dispatcher.status()).toMatchObject(heldUp);

  personalData.isLost = false;
  clock.advance(30_000);
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 2);
  expect(names()).toEqual(['other', 'lost']);
  expect(running.dispatcher.status().state).toBe('running');
});
