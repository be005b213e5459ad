import {
  newId,
  publicEventId,
  toInstant,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { EventWriter } from '@refledger/event-bus/conformance';
import { plainPersonalData } from '@refledger/domain/testing';
import { openLogBus } from '@refledger/event-bus/log';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  auditDeliveries,
  type AuditedDeliveries,
  type DeliveryFinding,
  plannedId,
} from '@refledger/webhook-endpoints';
import {
  type PlannedDelivery,
  openDeliveryReader,
  openDeliveryStore,
  type DeliveryStore,
} from '@refledger/delivery-store';
import { bench, newHarnessForEach, others, receiver, writer } from './harness.js';

newHarnessForEach();

const hourMs = 3_600_000;
const lease = { holder: 'test', now: toInstant(0), leaseUntil: toInstant(hourMs) };

/** Audits the deliveries of the workbench. */
const audited = async (
  onProgress?: (through: Position) => void,
): Promise<AuditedDeliveries & { readonly findings: readonly DeliveryFinding[] }> => {
  const store = await openDeliveryReader(embeddedUrls.DELIVERY_STORE_URL, {
    dataDir: bench.directory,
  });
  const audit = auditDeliveries({
    log: bench.log,
    store,
    signal: new AbortController().signal,
    ...(onProgress && { onProgress }),
  });
  const findings: DeliveryFinding[] = [];
  for (;;) {
    const next = await audit.next();
    if (next.done === true) {
      await store.close();
      return { ...next.value, findings };
    }
    findings.push(next.value);
  }
};
const createAffiliates = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await writer.createAffiliate(newId('affiliate'));
};
/** Runs a dispatcher until everything in the log is planned, and `ended` deliveries have ended. */
const run = async (ended: number): Promise<void> => {
  const running = await bench.start();
  await bench.caughtUp(running);
  await waitFor(async () => (await running.store.counts()).succeeded === ended);
  await running.stop();
};
const changed = async (change: (store: DeliveryStore) => Promise<unknown>): Promise<void> => {
  const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
    dataDir: bench.directory,
  });
  await change(store);
  await store.close();
};
const subscribed = (): Promise<EndpointId> =>
  bench.subscribe(receiver.url('/hook'), ['affiliate.created']);

it('finds nothing where every event has its deliveries, whatever became of its endpoints', async () => {
  await createAffiliates(1);
  const first = await subscribed();
  const second = await bench.subscribe(others.url('/hook'), ['conversion.*', 'affiliate.*']);
  await createAffiliates(2);
  await run(4);
  await bench.update(first, { status: 'paused' });
  await createAffiliates(1);
  await bench.unsubscribe(others.url('/hook'));
  await createAffiliates(1);
  await run(4);
  expect(await audited()).toEqual({
    plannedThrough: await bench.log.head(),
    endpoints: 2,
    statuses: { succeeded: 4, canceled: 1, held: 2, waiting: 0, sending: 0, failed: 0 },
    skipped: [],
    findings: [],
  });
  expect(second).not.toBe(first);
});

it('reports how far it has read, at least to what is planned', async () => {
  await subscribed();
  await createAffiliates(1);
  await run(1);
  const progress: Position[] = [];
  const { plannedThrough } = await audited((through) => progress.push(through));
  expect(Number(progress.at(-1))).toBeGreaterThanOrEqual(Number(plannedThrough));
});

it('accounts for events about endpoints, which never match the endpoint itself', async () => {
  const kinds = ['webhook.paused', 'webhook.enabled'] as const;
  const first = await bench.subscribe(receiver.url('/hook'), kinds);
  const second = await bench.subscribe(others.url('/hook'), ['webhook.*']);
  await bench.update(first, { status: 'paused' });
  await bench.update(first, { status: 'enabled' });
  await bench.update(second, { status: 'paused' });
  // the second endpoint is paused by then
  await run(1);
  expect(receiver.received).toHaveLength(1);
  expect(others.received).toHaveLength(0);
  expect(await audited()).toMatchObject({
    endpoints: 2,
    statuses: { succeeded: 1, held: 2, waiting: 0 },
    findings: [],
  });
});

it('looks only at what is planned, and does not miss what ended long ago', async () => {
  await subscribed();
  await createAffiliates(1);
  await run(1);
  await createAffiliates(1);
  expect(await audited()).toMatchObject({ statuses: { succeeded: 1 }, findings: [] });
  await changed((store) => store.expire(toInstant(Date.now() + 1), 5));
  expect(await audited()).toMatchObject({ endpoints: 0, findings: [] });
});

it('names an event without a delivery', async () => {
  const endpointId = await subscribed();
  await createAffiliates(1);
  await run(1);
  await createAffiliates(1);
  const position = (await bench.log.head()) as Position;
  const offsets = await openLogBus({ log: bench.log, personalData: plainPersonalData }).offsetsAt(
    position,
  );
  await changed((store) => store.resetOffsets(offsets, position));
  const { findings, statuses } = await audited();
  expect(findings).toMatchObject([{ endpointId, position, problem: 'the event has no delivery' }]);
  expect(statuses.succeeded).toBe(1);
  // it may have ended before that, by another clock
  await changed((store) => store.expire(toInstant(Date.now() - 60_000), 5));
  expect((await audited()).findings).toEqual([]);
});

it('names deliveries that no event accounts for', async () => {
  const endpoint = await subscribed();
  const other = await bench.subscribe(others.url('/hook'), ['conversion.created']);
  await createAffiliates(1);
  await new EventWriter(bench.log, newId('account')).createAffiliate(newId('affiliate'));
  const foreign = present(await bench.log.eventAt((await bench.log.head()) as Position));
  await createAffiliates(1);
  await run(2);
  const insert = (delivery: Partial<PlannedDelivery>) =>
    changed(async (store) => {
      const planned = present((await store.list({ endpointId: endpoint, limit: 5 })).at(-1));
      const [offset] = await store.offsets();
      const status = 'canceled' as const;
      const added = { ...planned, id: newId('delivery'), ...delivery, body: null, status };
      await store.plan({ deliveries: [added], offset: present(offset), floor: undefined }, lease);
    });
  await insert({ endpointId: other });
  await insert({ eventId: newId('event') });
  await insert({});
  const { id, position, metadata } = foreign;
  const event = { eventId: id, timestamp: metadata.recorded_at };
  const derived = plannedId(event, endpoint);
  await insert({ id: derived, eventId: publicEventId(id), position });
  expect((await audited()).findings.map(({ problem }) => problem).sort()).toEqual([
    'the endpoint did not want this event',
    'the endpoint did not want this event',
    expect.stringMatching(/^the event has more than one delivery \(dlv_/),
    'the log does not have this event at its position',
  ]);
});

it('counts what operators decided to omit, per decision', async () => {
  await subscribed();
  await run(0);
  const event_id = await writer.createAffiliate(newId('affiliate'));
  const position = (await bench.log.head()) as Position;
  await bench.decide({ type: 'skip', event_id, position });
  await createAffiliates(1);
  await run(1);
  await createAffiliates(1);
  await bench.tearOffset();
  const running = await bench.start();
  await waitFor(() => running.dispatcher.status().state === 'stopped');
  await bench.decide({ type: 'resume', from: 'head' });
  await waitFor(() => running.dispatcher.status().state === 'running');
  await createAffiliates(1);
  await bench.caughtUp(running);
  await running.stop();
  const { findings, skipped } = await audited();
  expect(findings).toEqual([]);
  expect(skipped).toMatchObject([
    {
      processor: 'webhook-dispatcher',
      decision: 'skip',
      deliveries: 1,
      events: { first: position, last: position },
    },
    { processor: 'webhook-dispatcher', decision: 'resume', deliveries: 1 },
  ]);
});

it('explains nothing by a decision that was not carried out', async () => {
  const endpoint = await subscribed();
  await run(0);
  await createAffiliates(1);
  const lost = { recorded_store: 'lost', present_store: null, checkpoint: [] };
  await bench.stop(lost);
  await bench.decide({ type: 'resume', from: 'head', stop: lost });
  // as a bug would, which the decision must not hide
  const head = (await bench.log.head()) as Position;
  const offsets = await openLogBus({ log: bench.log, personalData: plainPersonalData }).offsetsAt(
    head,
  );
  await changed((store) => store.resetOffsets(offsets, head));
  await run(0);
  const { findings, skipped } = await audited();
  expect(findings).toMatchObject([{ endpointId: endpoint, problem: 'the event has no delivery' }]);
  expect(skipped).toEqual([]);
});

it('omits a change to an endpoint that was skipped', async () => {
  const endpoint = await subscribed();
  await run(0);
  await bench.update(endpoint, { events: ['conversion.created'] });
  const position = (await bench.log.head()) as Position;
  const event_id = present(await bench.log.eventAt(position)).id;
  await bench.decide({ type: 'skip', event_id, position });
  await createAffiliates(1);
  await run(1);
  expect(await audited()).toMatchObject({ findings: [], skipped: [], statuses: { succeeded: 1 } });
});

it('starts after the last event whose held delivery was removed', async () => {
  const endpointId = await subscribed();
  await run(0);
  await bench.update(endpointId, { status: 'paused' });
  await createAffiliates(3);
  await run(0);
  await changed(async (store) => {
    await store.sweep({ endpointId }, { reason: 'too many held', now: toInstant(0), limit: 2 });
    await store.removeSwept(toInstant(1), 5);
  });
  expect(await audited()).toMatchObject({ findings: [], statuses: { held: 1 } });
});
