import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  derivedId,
  toInstant,
  type DeliveryId,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import { EveryKey } from '@refledger/personal-data/testing';
import type { AttemptEnd } from '../src/sending/attempt-sender.js';
import {
  startedAttempt,
  type ClaimedDelivery,
  type DeliveryStore,
  type PlannedDelivery,
} from '@refledger/delivery-store';
import { openSqliteDeliveryStore } from '@refledger/delivery-store/sqlite';
import { Claims } from '../src/scheduling/claims.js';
import { ConcurrencyLimiter } from '../src/scheduling/concurrency-limiter.js';
import { DuePoller } from '../src/scheduling/due-poller.js';
import { FairQueue } from '../src/scheduling/fair-queue.js';
import { InFlight } from '../src/scheduling/in-flight.js';
import { OutcomeWriter } from '../src/scheduling/outcome-writer.js';
import { RateLimiter } from '../src/scheduling/rate-limiter.js';
import { RequestWatch } from '../src/scheduling/request-watch.js';
import { Scheduler } from '../src/scheduling/scheduler.js';
import { TestSender } from '../src/scheduling/test-sender.js';
import { endpointVersion, ManualClock } from '@refledger/webhook-endpoints/testing';

export const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];

let directory: string;
export let store: DeliveryStore;
export let clock: ManualClock;
export let scheduler: Scheduler;
export let failures: string[];
interface Request {
  readonly id: DeliveryId;
  readonly endpoint: EndpointId;
  readonly respond: () => void;
}
/** The requests in flight, each with a function that answers it. */
export let requests: Request[];
/** Opens a store before each test; the scheduler of `begin` is halted after it. */
export const newSchedulerForEach = (): void => {
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-scheduler-'));
    store = await openSqliteDeliveryStore({ file: join(directory, 'deliveries.db') });
    clock = new ManualClock();
    [failures, requests] = [[], []];
    limited = new Map();
    paused = new Set();
  });
  afterEach(async () => {
    scheduler.halt();
    for (const { respond } of requests) respond();
    await scheduler.settled();
    await store.close();
    rmSync(directory, { recursive: true });
  });
};

const send = (delivery: ClaimedDelivery): Promise<AttemptEnd> =>
  new Promise((resolve) => {
    const request = {
      id: delivery.id,
      endpoint: delivery.endpointId,
      respond: () => {
        requests = requests.filter((other) => other !== request);
        const now = toInstant(clock.now());
        resolve({
          result: {
            deliveryId: delivery.id,
            number: delivery.attempt,
            endedAt: now,
            attempt: {
              ...startedAttempt(delivery.attempt, now),
              finishedAt: now,
              outcome: 'succeeded',
              status: 200,
            },
            failures: 0,
            next: { status: 'succeeded' },
          },
          sent: { kind: 'answered', status: 200, durationMs: 1, address: null, response: null },
        });
      },
    };
    requests.push(request);
  });

/** The maximum number of requests per second, for endpoints that have such a limit. */
export let limited: Map<EndpointId, number>;
/** The endpoints that are paused. */
export let paused: Set<EndpointId>;
const latest = (endpoint: EndpointId) =>
  endpointVersion({
    maxPerSecond: limited.get(endpoint) ?? null,
    status: paused.has(endpoint) ? 'paused' : 'enabled',
  });

export const begin = (
  limits = { perEndpoint: 2, total: 8 },
  through: Partial<DeliveryStore> = {},
  followTo = (_position?: Position): Promise<void> => Promise.resolve(),
): void => {
  const [holder, leaseMs] = ['only', 30_000];
  const logRetry = (what: string) => void failures.push(what);
  const used = { ...store, ...through };
  const newLease = () => ({
    holder,
    now: toInstant(clock.now()),
    leaseUntil: toInstant(clock.now() + leaseMs),
  });
  const directory = { followTo, latest };
  const tracker = { recheck: () => Promise.resolve(), cancelLeft: () => Promise.resolve() };
  const bodies = { make: () => Promise.resolve('{}') };
  const attempts = { send };
  const { signal } = new AbortController();
  const reporter = { report: () => undefined };
  const claims = new Claims({
    store: used,
    directory,
    tracker,
    bodies,
    texts: new EveryKey().texts,
    newLease,
    leaseMs,
    clock,
    logRetry,
  });
  const outcomes = new OutcomeWriter({
    store: used,
    reporter,
    holder,
    clock,
    signal,
    logRetry,
  });
  const tests = new TestSender({ claims, attempts, outcomes, logRetry });
  const limiter = new ConcurrencyLimiter(limits);
  const rates = new RateLimiter({ store: used, directory, clock, logRetry });
  scheduler = new Scheduler({
    duePoller: new DuePoller({ store: used, holder, claims, newLease, leaseMs, clock, logRetry }),
    requests: new RequestWatch({ store: used, tests, clock, logRetry }),
    queue: new FairQueue({ limiter, accountOf: () => undefined }),
    inFlight: new InFlight(limiter, rates, clock),
    claims,
    attempts,
    outcomes,
    directory,
    tracker,
    logRetry,
  });
  scheduler.begin();
};
/** How many deliveries were planned, which is also the position of the last one. */
export let planned = 0;
export const plan = async (
  endpointId: EndpointId,
  count: number,
  status: PlannedDelivery['status'] = 'waiting',
): Promise<readonly ClaimedDelivery[]> => {
  const deliveries = Array.from({ length: count }, (): PlannedDelivery => {
    const n = String(++planned);
    return {
      id: derivedId('delivery', n),
      accountId: derivedId('account', '1'),
      endpointId,
      eventId: derivedId('event', n),
      eventType: 'conversion.created',
      objectId: 'conv_1',
      trigger: 'event',
      position: n as Position,
      decidedAt: n as Position,
      payload: 'full',
      body: '{}',
      status,
      reason: null,
    };
  });
  await store.plan(
    {
      deliveries,
      offset: { source: 'log', partition: 'log', offset: String(planned) },
      floor: undefined,
    },
    { holder: 'only', now: toInstant(clock.now()), leaseUntil: toInstant(clock.now() + 30_000) },
  );
  const first = { attempt: 1, earlierFailures: 0, unknownBefore: 0 };
  return deliveries.map((delivery) => ({ ...delivery, ...first }));
};
export const inFlight = (endpoint: EndpointId): number =>
  requests.filter((request) => request.endpoint === endpoint).length;
export const respondToOne = (endpoint: EndpointId): void =>
  requests.find((request) => request.endpoint === endpoint)?.respond();
