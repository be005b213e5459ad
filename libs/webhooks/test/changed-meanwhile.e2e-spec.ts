import { newId, type EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { waitFor } from '@refledger/testing';
import { type Delivery, type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';

let openGates: () => void = () => undefined;
// a step that is never let go would hold up the end of a failed test
afterEach(() => openGates());
newHarnessForEach();

let store: DeliveryStore;
let clock: ManualClock;
let endpoint: EndpointId;
/** How often the dispatcher has held and canceled deliveries of an endpoint that has changed. */
let changes: { held: number; canceled: number };
beforeEach(async () => {
  store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: bench.directory });
  clock = new ManualClock();
  changes = { held: 0, canceled: 0 };
  endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
});
// the harness has stopped the dispatchers
afterEach(() => store.close());

/** Starts a dispatcher whose calls of the store are replaced by these. */
const start = async (replaced: Partial<DeliveryStore> = {}): Promise<void> => {
  const { dispatcher } = await bench.start({
    store: {
      ...store,
      hold: (...how) => store.hold(...how).finally(() => changes.held++),
      cancel: (...how) => store.cancel(...how).finally(() => changes.canceled++),
      ...replaced,
    },
    clock,
  });
  await waitFor(() => dispatcher.status().state === 'running');
};
/** A step that waits until it is let go. */
const newGate = () => {
  let isReached = false;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const openOthers = openGates;
  openGates = () => {
    open();
    openOthers();
  };
  const pass = (): Promise<void> => {
    isReached = true;
    return opened;
  };
  return { pass, open: () => open(), reached: () => waitFor(() => isReached) };
};
const happen = () => writer.createAffiliate(newId('affiliate'));
/** Pauses the endpoint, and waits until the dispatcher has held its deliveries. */
const paused = async (): Promise<void> => {
  const { held } = changes;
  await bench.update(endpoint, { status: 'paused' });
  await waitFor(() => changes.held > held);
};
/** Deletes the endpoint, and waits until the dispatcher has canceled its deliveries. */
const deleted = async (): Promise<void> => {
  const { canceled } = changes;
  await bench.unsubscribe(receiver.url('/hook'));
  await waitFor(() => changes.canceled > canceled);
};
const onlyDelivery = async (): Promise<Delivery> => {
  const [delivery, ...more] = await store.list({ endpointId: endpoint, limit: 10 });
  if (delivery === undefined || more.length > 0) throw new Error('not exactly one delivery');
  return delivery;
};
const isCanceled = () =>
  waitFor(async () => {
    const { status, reason } = await onlyDelivery();
    return status === 'canceled' && reason === 'the endpoint was unsubscribed';
  });

describe('a delivery that is written after its endpoint was deleted is canceled', () => {
  it('as held, when its attempt failed', async () => {
    const [answer, outcome] = [newGate(), newGate()];
    receiver.respond('/hook', () => answer.pass().then(() => 500));
    await start({
      recordOutcomes: (...how) => outcome.pass().then(() => store.recordOutcomes(...how)),
    });
    await happen();
    await answer.reached();
    await paused();
    answer.open();
    await outcome.reached();
    await deleted();
    outcome.open();
    await isCanceled();
  });

  it('as held, by a plan', async () => {
    const plan = newGate();
    await start({ plan: (...how) => plan.pass().then(() => store.plan(...how)) });
    await paused();
    await happen();
    await plan.reached();
    await deleted();
    plan.open();
    await isCanceled();
  });

  it('as held, by the release of a claim', async () => {
    const release = newGate();
    await start({
      keepBodies: () => Promise.reject(new Error('the disk is full')),
      release: (...how) => release.pass().then(() => store.release(...how)),
    });
    await paused();
    await happen();
    await waitFor(async () => (await store.counts(endpoint)).held === 1);
    await bench.update(endpoint, { status: 'enabled' });
    await release.reached();
    await deleted();
    release.open();
    await isCanceled();
  });

  it.each(['held', 'waiting'] as const)('as %s, by a redelivery', async (status) => {
    await start();
    await happen();
    await waitFor(async () => (await store.counts(endpoint)).succeeded === 1);
    const { body, reason: _, ...sent } = await onlyDelivery();
    const decidedAt = present(await bench.log.head());
    await deleted();
    const id = newId('delivery');
    const redelivery = {
      ...sent,
      id,
      body,
      reason: null,
      trigger: 'redeliver',
      status,
      decidedAt,
    } as const;
    await store.request(redelivery, new Date(clock.now()).toISOString());
    // the dispatcher looks for requests twice per second
    clock.advance(500);
    await waitFor(async () => (await store.get(id))?.status === 'canceled');
  });

  it('as held, by another dispatcher', async () => {
    await start();
    await happen();
    await waitFor(async () => (await store.counts(endpoint)).succeeded === 1);
    const { attempts: _, ...sent } = await onlyDelivery();
    const decidedAt = present(await bench.log.head());
    await deleted();
    const id = newId('delivery');
    const [offset] = await store.offsets();
    const lease = { holder: 'another', now: sent.createdAt, leaseUntil: sent.createdAt };
    const held = { ...sent, id, decidedAt, status: 'held', reason: null } as const;
    await store.plan({ deliveries: [held], offset: present(offset), floor: undefined }, lease);
    // the dispatcher looks at what is held three times per lease
    clock.advance(10_000);
    await waitFor(async () => (await store.get(id))?.status === 'canceled');
  });
});

it('a delivery that is written as held after its endpoint was enabled is sent', async () => {
  const [answer, outcome] = [newGate(), newGate()];
  let isUp = false;
  receiver.respond('/hook', () => (isUp ? 200 : answer.pass().then(() => 500)));
  let isFirst = true;
  await start({
    recordOutcomes: async (...how) => {
      if (isFirst) await outcome.pass();
      isFirst = false;
      return store.recordOutcomes(...how);
    },
  });
  await happen();
  await answer.reached();
  await paused();
  answer.open();
  await outcome.reached();
  isUp = true;
  await bench.update(endpoint, { status: 'enabled' });
  const next = await bench.subscribe(receiver.url('/next'), ['affiliate.created']);
  await happen();
  await waitFor(
    async () => (await store.counts(next)).succeeded + (await store.counts(next)).sending === 1,
  );
  outcome.open();
  await waitFor(async () => (await store.counts(endpoint)).succeeded === 2);
});
