import { newId, type EndpointId, type Position } from '@refledger/contracts';
import { accountId } from '@refledger/event-bus/conformance';
import { embeddedUrls } from '@refledger/engines';
import { waitFor } from '@refledger/testing';
import { Outgoing, testDelivery } from '@refledger/webhook-endpoints';
import { openDeliveryStore, type DeliveryStore } from '@refledger/delivery-store';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Running } from './workbench.js';

newHarnessForEach();

const types = ['affiliate.created'] as const;
const happen = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await writer.createAffiliate(newId('affiliate'));
};

/** What a dispatcher calls to send something. */
const claiming = ['claim', 'claimTests', 'takeRequested', 'leaseReplays', 'takeTokens'] as const;

/** A store, and the calls by which something would have been claimed. */
const recorded = (store: DeliveryStore) => {
  const calls: string[] = [];
  const through = Object.fromEntries(
    claiming.map((name) => [
      name,
      (...args: never[]) => {
        calls.push(name);
        return (store[name] as (...args: never[]) => unknown)(...args);
      },
    ]),
  );
  return { calls, store: { ...store, ...through } };
};

const request = async ({ store }: Running, endpointId: EndpointId): Promise<void> => {
  const head = (await bench.log.head()) as Position;
  const now = new Date().toISOString();
  const about = {
    accountId,
    endpointId,
    type: types[0],
    payload: 'full',
    decidedAt: head,
  } as const;
  await store.request(testDelivery({ ...about, now }), now);
  await store.beginReplay({
    ...{ id: newId('replay'), accountId, endpointId, logId: bench.log.id, types: null },
    ...{ since: '0' as Position, until: head, only: 'all', decidedAt: head, createdAt: now },
  });
};

it('plans deliveries as waiting and claims nothing while it is blocked, and sends all of them once it is not', async () => {
  const outgoing = new Outgoing('this is a copy');
  const clock = new ManualClock();
  const opened = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
    dataDir: bench.directory,
  });
  const { calls, store } = recorded(opened);
  const endpoint = await bench.subscribe(receiver.url('/hook'), types);
  await happen(1);
  const running = await bench.start({ outgoing, clock, store });
  await bench.caughtUp(running);
  await happen(3);
  await bench.caughtUp(running);
  await request(running, endpoint);
  // longer than leases, polls and retries take
  for (let n = 0; n < 20; n++) {
    clock.advance(30_000);
    await new Promise(setImmediate);
  }
  await waitFor(async () => (await store.counts(endpoint)).waiting === 5);
  expect(await store.counts(endpoint)).toMatchObject({ waiting: 5, sending: 0, held: 0 });
  expect(running.dispatcher.status()).toMatchObject({
    state: 'running',
    sendsNothing: 'this is a copy',
    inFlight: 0,
  });
  expect([receiver.received, calls]).toEqual([[], []]);

  outgoing.set(undefined);
  await waitFor(() => receiver.received.length >= 4);
  // the replay of four events, and the test
  await waitFor(() => (clock.advance(500), receiver.received.length === 9));
  expect(running.dispatcher.status().sendsNothing).toBeUndefined();
  await running.stop();
  await opened.close();
});

it('stops sending when it is blocked again', async () => {
  const outgoing = new Outgoing();
  const endpoint = await bench.subscribe(receiver.url('/hook'), types);
  const running = await bench.start({ outgoing });
  await happen(1);
  await waitFor(() => receiver.received.length === 1);
  outgoing.set('for a while');
  await happen(2);
  await bench.caughtUp(running);
  expect(await running.store.counts(endpoint)).toMatchObject({ waiting: 2, sending: 0 });
  outgoing.set(undefined);
  await waitFor(() => receiver.received.length === 3);
});
