import { newId, type EndpointId, type Position } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { openLogBus } from '@refledger/event-bus/log';
import { accountId } from '@refledger/event-bus/conformance';
import { waitFor } from '@refledger/testing';
import { type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { laggingLog, type LaggingLog } from './lagging-log.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Running } from './workbench.js';

newHarnessForEach();

let store: DeliveryStore;
let clock: ManualClock;
let current: Running;
let endpoint: EndpointId;
beforeEach(async () => {
  store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: bench.directory });
  clock = new ManualClock();
  current = await bench.start({ store, clock, holder: 'current' });
  endpoint = await enable();
  receiver.respond('/hook', () => 500);
});
// the harness has stopped the dispatchers
afterEach(() => store.close());

const enable = (path = '/hook'): Promise<EndpointId> =>
  bench.subscribe(receiver.url(path), ['affiliate.created']);
const disable = () =>
  bench.endpoints(accountId, {
    type: 'disable',
    endpoint_id: endpoint,
    version: Number.MAX_SAFE_INTEGER,
    reason: 'gone',
  });
const head = async (): Promise<Position> => present(await bench.log.head());
const counts = (of = endpoint) => store.counts(of);
/** Creates an event whose delivery is planned, attempted, and waits for its retry. */
const eventThatWaits = async (of = endpoint): Promise<void> => {
  const { waiting } = await counts(of);
  await writer.createAffiliate(newId('affiliate'));
  await bench.waitForRetries({ store }, of, waiting + 1);
};

/** A second dispatcher over the same store, which lags behind its log, and what it calls. */
const startLagging = async ({ log }: LaggingLog) => {
  const calls = { canceled: 0, claimed: 0 };
  const watched: DeliveryStore = {
    ...store,
    cancel: (...how) => store.cancel(...how).finally(() => calls.canceled++),
    claim: async (...how) => {
      const claimed = await store.claim(...how);
      calls.claimed += claimed.length;
      return claimed;
    },
  };
  const bus = openLogBus({ log, personalData: plainPersonalData });
  await bench.start({ store: watched, log, bus, clock, holder: 'lagging' });
  return calls;
};

it('a dispatcher that lags cancels nothing that another planned for a newer version of the endpoint', async () => {
  const lagging = laggingLog(bench.log, await head());
  const calls = await startLagging(lagging);
  await eventThatWaits();

  // gone, enabled again, and an event of the version that is enabled
  await disable();
  const gone = await head();
  await waitFor(async () => (await counts()).canceled === 1);
  await enable();
  await eventThatWaits();

  lagging.raiseTo(gone);
  await waitFor(() => calls.canceled === 1);
  expect(await counts()).toMatchObject({ waiting: 1, canceled: 1 });
});

it('a dispatcher that lags attempts no delivery that another planned until it knows the version that the delivery was planned for', async () => {
  await disable();
  const lagging = laggingLog(bench.log, await head());
  await enable();
  await eventThatWaits();
  const calls = await startLagging(lagging);
  await current.stop();
  receiver.respond('/hook', () => 200);

  clock.advance(60_000);
  await waitFor(() => calls.claimed > 0);
  expect(receiver.requestsTo('/hook')).toHaveLength(1);
  lagging.raiseTo(undefined);
  await waitFor(async () => {
    const { waiting, succeeded } = await counts();
    // it was released if the log lagged for too long, and is claimed again after a second
    if (waiting === 1) clock.advance(1_000);
    return succeeded === 1;
  });
  expect(receiver.requestsTo('/hook')).toHaveLength(2);
});

it('a dispatcher that lags cancels nothing when it starts, not even of an endpoint that it does not know yet', async () => {
  await disable();
  const lagging = laggingLog(bench.log, await head());
  await enable();
  receiver.respond('/new', () => 500);
  const unknown = await enable('/new');
  await eventThatWaits();
  await bench.waitForRetries({ store }, unknown);

  const calls = await startLagging(lagging);
  await waitFor(() => calls.canceled === 2);
  expect(await counts()).toMatchObject({ waiting: 1, canceled: 0 });
  expect(await counts(unknown)).toMatchObject({ waiting: 1, canceled: 0 });
});
