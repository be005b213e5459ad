import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId, toInstant, type EndpointId, type Position } from '@refledger/contracts';
import { until } from '@refledger/testing';
import { ManualClock } from '../test/manual-clock.js';
import type { Attempted } from './attempt-sender.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryFlow, type Reservation } from './delivery-flow.js';
import type { DeliveryStore, PlannedDelivery } from './delivery-store.js';
import { OutcomeWriter } from './outcome-writer.js';
import { openSqliteDeliveryStore } from './sqlite/index.js';

const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];

let folder: string;
let store: DeliveryStore;
let clock: ManualClock;
let flow: DeliveryFlow;
let failures: string[];
/** Requests under way, and how to answer them. */
let requests: { readonly endpoint: EndpointId; readonly answer: () => void }[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'refledger-flow-'));
  store = await openSqliteDeliveryStore({ file: join(folder, 'deliveries.db') });
  clock = new ManualClock();
  [failures, requests] = [[], []];
});
afterEach(async () => {
  flow.halt();
  for (const { answer } of requests) answer();
  await flow.settled();
  await store.close();
  rmSync(folder, { recursive: true });
});

const send = (delivery: ClaimedDelivery): Promise<Attempted> =>
  new Promise((resolve) => {
    const request = {
      endpoint: delivery.endpointId,
      answer: () => {
        requests = requests.filter((other) => other !== request);
        const now = toInstant(clock.now());
        resolve({
          result: {
            deliveryId: delivery.id,
            attempt: {
              number: delivery.attempt,
              startedAt: now,
              finishedAt: now,
              outcome: 'succeeded',
              status: 200,
              error: null,
            },
            next: { status: 'succeeded' },
          },
          sent: { kind: 'answered', status: 200, durationMs: 1 },
        });
      },
    };
    requests.push(request);
  });

const begin = (
  limits = { perEndpoint: 2, inAll: 8 },
  through: Partial<DeliveryStore> = {},
): void => {
  const holder = 'only';
  const outcomes = new OutcomeWriter({
    store,
    holder,
    clock,
    signal: new AbortController().signal,
    onFailure: (error) => failures.push(String(error)),
  });
  const onFailure = (what: string): void => void failures.push(what);
  flow = new DeliveryFlow({
    store: { ...store, ...through },
    holder,
    leaseMs: 30_000,
    limits,
    clock,
    outcomes,
    attempts: { send },
    onAttempted: () => undefined,
    onFailure,
  });
  flow.begin();
};
let planned = 0;
const plan = async (
  endpointId: EndpointId,
  count: number,
  status: PlannedDelivery['status'] = 'due',
): Promise<readonly ClaimedDelivery[]> => {
  const deliveries = Array.from({ length: count }, (): PlannedDelivery => {
    const n = String(++planned);
    return {
      id: derivedId('delivery', n),
      accountId: derivedId('account', '1'),
      endpointId,
      eventId: derivedId('event', n),
      eventType: 'conversion.created',
      position: n as Position,
      body: '{}',
      status,
    };
  });
  await store.plan(
    {
      deliveries,
      place: { source: 'log', partition: 'log', offset: String(planned) },
      floor: undefined,
    },
    { holder: 'only', now: toInstant(clock.now()), leaseUntil: toInstant(clock.now() + 30_000) },
  );
  return deliveries.map((delivery) => ({ ...delivery, attempt: 1, earlierFailures: 0 }));
};
const underWay = (endpoint: EndpointId): number =>
  requests.filter((request) => request.endpoint === endpoint).length;
const answerOne = (endpoint: EndpointId): void =>
  requests.find((request) => request.endpoint === endpoint)?.answer();

it('one that hangs keeps no quick slot from others, and gives back what it has taken ahead', async () => {
  await plan(a, 40);
  begin({ perEndpoint: 2, inAll: 4 });
  await until(() => underWay(a) === 1);
  answerOne(a);
  await until(() => underWay(a) === 2);
  // of the first taken one succeeded, of the second one is sent and 32 are taken ahead
  await until(async () => (await store.counts(a)).started > 20);
  await plan(b, 1);
  flow.waits([b]);
  clock.advance(249);
  await new Promise(setImmediate);
  expect(underWay(b)).toBe(0);
  clock.advance(1);
  await until(() => underWay(b) === 1);
  expect(underWay(a)).toBe(2);
  clock.advance(2_500);
  await until(async () => (await store.counts(a)).due === 37);
  expect((await store.counts(a)).started).toBe(2);
});

it('slow ones take turns: a slot that comes free goes to the other', async () => {
  await plan(a, 5);
  await plan(b, 5);
  begin({ perEndpoint: 2, inAll: 4 });
  await until(() => underWay(a) === 1 && underWay(b) === 1);
  // both hang, and share one slot from now on
  clock.advance(2_500);
  answerOne(a);
  answerOne(b);
  const order: EndpointId[] = [];
  for (let n = 0; n < 6; n++) {
    await until(() => requests.length === 1);
    order.push(requests[0]?.endpoint ?? a);
    clock.advance(2_500);
    requests[0]?.answer();
  }
  expect(order).toEqual([a, b, a, b, a, b]);
});

it('takes nothing more while one hangs that has answered nothing yet', async () => {
  await plan(a, 3);
  begin();
  await until(() => underWay(a) === 1);
  expect(await store.counts(a)).toMatchObject({ started: 1, due: 2 });
});

it('a taking that fails is tried again', async () => {
  await plan(a, 1);
  let fails = true;
  begin(undefined, {
    takeDue: (...how) =>
      fails ? Promise.reject(new Error('the disk is full')) : store.takeDue(...how),
  });
  await until(() => failures.length === 1);
  fails = false;
  clock.advance(1_000);
  await until(() => underWay(a) === 1);
  expect(failures).toEqual(['taking due deliveries']);
  expect(flow.inFlight).toBe(1);
});

it('gives back what it has taken ahead when it halts, and takes it up again', async () => {
  await plan(a, 40);
  begin();
  await until(() => underWay(a) === 1);
  answerOne(a);
  await until(async () => underWay(a) === 2 && (await store.counts(a)).started > 20);
  flow.halt();
  await until(async () => (await store.counts(a)).due === 37);
  flow.begin();
  answerOne(a);
  await until(() => underWay(a) === 2);
});

describe('room for what is being planned', () => {
  const use = async (reservation: Reservation | undefined): Promise<void> => {
    const [delivery] = await plan(a, 1, 'started');
    reservation?.use(delivery!);
  };

  it('is one slot for an endpoint that has not answered, and given back it is there again', () => {
    begin();
    flow.reserve(a)?.giveBack();
    expect(flow.reserve(a)).toBeDefined();
    expect(flow.reserve(a)).toBeUndefined();
  });

  it('is the slots of one that answers quickly, then its tray, from which they go as slots come free, without another write', async () => {
    begin(undefined, { takeDue: () => Promise.reject(new Error('nothing to take')) });
    await use(flow.reserve(a));
    answerOne(a);
    await until(async () => (await store.counts(a)).succeeded === 1);
    for (const reservation of [flow.reserve(a), flow.reserve(a), flow.reserve(a)])
      await use(reservation);
    expect(underWay(a)).toBe(2);
    answerOne(a);
    await until(() => requests.length === 2);
    expect(failures).toEqual([]);
  });

  it('is no more than the tray holds, those kept included', async () => {
    begin();
    await use(flow.reserve(a));
    answerOne(a);
    await until(async () => (await store.counts(a)).succeeded === 1);
    const reserved = Array.from({ length: 100 }, () => flow.reserve(a)).filter(
      (reservation) => reservation !== undefined,
    );
    expect(reserved).toHaveLength(2 + 2 * 16);
    for (const reservation of reserved) reservation.giveBack();
    expect(flow.reserve(a)).toBeDefined();
  });

  it('is none while some wait in the store', async () => {
    await plan(a, 2);
    begin();
    await until(() => underWay(a) === 1);
    flow.waits([a]);
    expect(flow.reserve(a)).toBeUndefined();
  });

  it('that comes to nothing, since the flow halted or the endpoint hangs meanwhile, leaves the delivery due', async () => {
    begin();
    await use(flow.reserve(a));
    answerOne(a);
    await until(async () => (await store.counts(a)).succeeded === 1);
    const [first, second, third, fourth] = [
      flow.reserve(a),
      flow.reserve(a),
      flow.reserve(a),
      flow.reserve(a),
    ];
    await use(first);
    await use(second);
    clock.advance(2_500);
    await use(third);
    await until(async () => (await store.counts(a)).due === 1);
    flow.halt();
    await use(fourth);
    await until(async () => (await store.counts(a)).due === 2);
  });
});
