import { derivedId, newId, type DeliveryId } from '@refledger/contracts';
import type { Delivery } from '@refledger/delivery-store';
import type { Call } from '../http/request/call.js';
import { EndpointTests, type EndpointTestsOptions } from './endpoint-tests.js';

const account = derivedId('account', 'a');
type Status = Delivery['status'];

/**
 * A store with the tests that were asked for, each of which has the statuses of `becomes` in turn.
 */
const tested = (becomes: readonly Status[], options: Partial<EndpointTestsOptions> = {}) => {
  const requested: DeliveryId[] = [];
  const canceled: DeliveryId[] = [];
  let reads = 0;
  const store = {
    request: ({ id }: { readonly id: DeliveryId }) => Promise.resolve(requested.push(id) > 0),
    makeDue: () => Promise.reject(new Error('nothing is to be made due')),
    cancelWaiting: (id: DeliveryId) => Promise.resolve(canceled.push(id) > 0),
    beginReplay: () => Promise.reject(new Error('no replay is to start')),
    stopReplay: () => Promise.reject(new Error('no replay is to be stopped')),
  };
  const get = (id: DeliveryId) => {
    const status = becomes[Math.min(reads++, becomes.length - 1)];
    const finishedAt = status === 'waiting' || status === 'sending' ? null : 'now';
    return Promise.resolve({ id, status, finishedAt });
  };
  const tests = new EndpointTests({
    // the casts hold: only these methods are called, and only these members are read
    deliveries: {
      read: (work) => work({ get } as unknown as Parameters<typeof work>[0]),
      write: (work) => work(store),
    },
    endpoints: {
      get: ({ id }) =>
        Promise.resolve({
          record: { id, events: ['affiliate.created'], payload: 'full' },
          position: '5',
        }) as unknown as ReturnType<EndpointTestsOptions['endpoints']['get']>,
    },
    commands: { instant: () => '2026-01-31T09:30:00.000Z' },
    work: { runUncounted: (_kind, wait) => wait() },
    outgoing: { blocked: undefined },
    attemptMs: 50,
    graceMs: 20,
    ...options,
  });
  return { tests, requested, canceled };
};

const call = (id = newId('endpoint'), accountId = account) =>
  ({ id, caller: { accountId }, body: {} }) as unknown as Call<'testWebhook'>;

it('resolves to the delivery once it has ended', async () => {
  const { tests, requested } = tested(['waiting', 'sending', 'succeeded'], { graceMs: 5_000 });
  const delivery = await tests.run(call());
  expect(delivery).toMatchObject({ id: requested[0], status: 'succeeded' });
});

it('cancels a test that no dispatcher claims in time', async () => {
  const { tests, requested, canceled } = tested(['waiting']);
  await expect(tests.run(call())).rejects.toMatchObject({ code: 'unavailable' });
  expect(canceled).toEqual(requested);
});

it('gives up on a test whose outcome is not known in time', async () => {
  const { tests, requested, canceled } = tested(['sending']);
  const error: unknown = await tests.run(call()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'unavailable',
    message: `The outcome of the test is not known yet. Read ${requested[0]} later.`,
  });
  expect(canceled).toEqual([]);
});

it('runs one test of an endpoint at a time, and five of an account', async () => {
  const { tests } = tested(['sending'], { attemptMs: 400 });
  const endpoint = newId('endpoint');
  const running = [endpoint, ...Array.from({ length: 4 }, () => newId('endpoint'))].map((id) =>
    tests.run(call(id)).catch(({ code }: { readonly code: string }) => code),
  );
  const tooMany = { code: 'too_many_tests' };
  await expect(tests.run(call(endpoint))).rejects.toMatchObject(tooMany);
  await expect(tests.run(call())).rejects.toMatchObject(tooMany);
  const another = tests.run(call(newId('endpoint'), derivedId('account', 'b')));
  await expect(another).rejects.toMatchObject({ code: 'unavailable' });
  expect(await Promise.all(running)).toEqual(running.map(() => 'unavailable'));
  await expect(tests.run(call(endpoint))).rejects.toMatchObject({ code: 'unavailable' });
});

it('ends waiting requests when the service ends', async () => {
  const { tests } = tested(['sending'], { attemptMs: 60_000 });
  const running = tests.run(call());
  tests.beforeApplicationShutdown();
  await expect(running).rejects.toMatchObject({
    message: 'The service is shutting down. Retry later.',
  });
});

it('is refused immediately while the service sends nothing, and stores no test', async () => {
  const { tests, requested } = tested(['waiting'], { outgoing: { blocked: 'this is a copy' } });
  await expect(tests.run(call())).rejects.toMatchObject({
    code: 'unavailable',
    message: 'This service sends nothing: this is a copy.',
  });
  expect(requested).toEqual([]);
});
