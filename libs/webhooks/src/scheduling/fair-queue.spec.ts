import { derivedId, type EndpointId } from '@refledger/contracts';
import fc from 'fast-check';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { FairQueue, type FairQueueOptions } from './fair-queue.js';
import { latencyClasses } from './latency-classes.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => derivedId('endpoint', name)) as [
  EndpointId,
  EndpointId,
  EndpointId,
];

/** A queue of endpoints of one account each, unless `accountOf` says otherwise. */
const queueWith = (
  limiter: Partial<FairQueueOptions['limiter']>,
  accountOf: FairQueueOptions['accountOf'] = () => undefined,
): FairQueue =>
  new FairQueue({
    limiter: { latencyClass: () => 0, needsSpare: () => false, hasSlot: () => true, ...limiter },
    accountOf,
  });
const allOf = (queue: FairQueue): readonly EndpointId[] => {
  const next = queue.next();
  return next === undefined ? [] : [next, ...allOf(queue)];
};

it('gives the slots of a latency class to the longest-waiting endpoint, one at a time', () => {
  const queue = queueWith({});
  for (const endpoint of [a, b, a, c]) queue.join(endpoint);
  queue.leave(c);
  expect(allOf(queue)).toEqual([a, b]);
});

it('gives turns to accounts first, then to the endpoints of each', () => {
  const accounts = [derivedId('account', 'one'), derivedId('account', 'other')] as const;
  const queue = queueWith({}, (endpoint) => accounts[endpoint === c ? 1 : 0]);
  for (const endpoint of [a, b, c]) queue.join(endpoint);
  expect([queue.next(), queue.next()]).toEqual([a, c]);
  for (const endpoint of [a, c]) queue.join(endpoint);
  expect(allOf(queue)).toEqual([b, c, a]);
});

it('gives spare slots only to endpoints that use their floor already', () => {
  const using = new Set([a, b]);
  let spare = 0;
  const queue = queueWith({
    needsSpare: (endpoint) => using.has(endpoint),
    hasSlot: (_, of) => of?.isSpare !== true || spare-- > 0,
  });
  for (const endpoint of [a, b, c]) queue.join(endpoint);
  expect(allOf(queue)).toEqual([c]);
  using.delete(b);
  queue.join(b);
  expect(allOf(queue)).toEqual([b]);
  spare = 1;
  expect(allOf(queue)).toEqual([a]);
});

it('gives each queued endpoint one turn, however they join and leave, and lets accounts take turns', () => {
  const endpoints = Array.from({ length: 12 }, (_, n) => derivedId('endpoint', String(n)));
  const accountOf = (endpoint: EndpointId) =>
    derivedId('account', endpoints.indexOf(endpoint) < 9 ? 'big' : String(endpoint));
  const step = fc.record({
    endpoint: fc.constantFrom(...endpoints),
    does: fc.constantFrom('join' as const, 'leave' as const),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const queue = queueWith({}, accountOf);
      const queued = new Set<EndpointId>();
      for (const { endpoint, does } of steps) {
        queue[does](endpoint);
        queued[does === 'join' ? 'add' : 'delete'](endpoint);
      }
      const order = allOf(queue);
      expect([...order].sort()).toEqual([...queued].sort());
      // every account that waits has its first turn before any account has its second
      const accounts = new Set(order.map(accountOf));
      expect(new Set(order.slice(0, accounts.size).map(accountOf))).toEqual(accounts);
    }),
  );
});

it('skips a latency class without slots, and queues an endpoint once', () => {
  const latencyClass = new Map([
    [a, 0],
    [b, 1],
  ]);
  const queue = queueWith({
    latencyClass: (endpoint) => latencyClass.get(endpoint) ?? 0,
    hasSlot: (of) => of !== 0,
  });
  queue.join(a);
  queue.join(b);
  expect([queue.next(), queue.next()]).toEqual([b, undefined]);
  latencyClass.set(a, 1);
  queue.join(a);
  expect([queue.next(), queue.next()]).toEqual([a, undefined]);
});

/**
 * Simulates endpoints that always have more to send. The requests of each take as long as its list
 * says, in milliseconds, cycling through it. Returns the longest wait of each.
 */
const longestWaits = (
  endpoints: readonly (readonly number[])[],
  limits: { readonly perEndpoint: number; readonly total: number },
  untilMs: number,
): readonly number[] => {
  const clock = new ManualClock(0);
  const limiter = new ConcurrencyLimiter(limits);
  const queue = new FairQueue({ limiter, accountOf: () => undefined });
  const ids = endpoints.map((_, n) => derivedId('endpoint', String(n)));
  const sent = new Map<EndpointId, number>();
  const since = new Map<EndpointId, number>();
  const waits = new Map<EndpointId, number>();
  const requeue = (endpoint: EndpointId): void => {
    if (!limiter.hasRoom(endpoint)) return queue.leave(endpoint);
    if (!since.has(endpoint)) since.set(endpoint, clock.now());
    queue.join(endpoint);
  };
  const send = (endpoint: EndpointId): void => {
    limiter.take(endpoint);
    const end = limiter.begin(endpoint, clock.now());
    const lasts = endpoints[ids.indexOf(endpoint)] ?? [];
    const count = sent.get(endpoint) ?? 0;
    sent.set(endpoint, count + 1);
    const ms = lasts[count % lasts.length] ?? 0;
    clock.schedule(ms, () => {
      end(clock.now(), ms < 10_000 ? 'succeeded' : 'silent');
      serve([endpoint]);
    });
    waits.set(
      endpoint,
      Math.max(waits.get(endpoint) ?? 0, clock.now() - (since.get(endpoint) ?? 0)),
    );
    since.delete(endpoint);
    requeue(endpoint);
  };
  const serve = (changed: Iterable<EndpointId>): void => {
    for (const endpoint of changed) requeue(endpoint);
    for (let next = queue.next(); next !== undefined; next = queue.next()) send(next);
  };
  serve(ids);
  while (clock.now() < untilMs) {
    clock.advance(10);
    serve(limiter.age(clock.now()));
  }
  return ids.map((id) =>
    Math.max(waits.get(id) ?? 0, clock.now() - (since.get(id) ?? clock.now())),
  );
};

it('an endpoint that is always quick waits for a slot only as long as quick ones hold theirs, however many hang, flap or slow down', () => {
  const quick = fc.array(fc.integer({ min: 1, max: 240 }), { minLength: 1, maxLength: 3 });
  const any = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 400, max: 9_000 }),
      fc.constant(10_000),
    ),
    { minLength: 1, maxLength: 4 },
  );
  const limits = fc.constantFrom({ perEndpoint: 4, total: 16 }, { perEndpoint: 64, total: 32 });
  fc.assert(
    fc.property(quick, fc.array(any, { maxLength: 60 }), limits, (one, others, limits) => {
      const [wait = Infinity] = longestWaits([one, ...others], limits, 6_000);
      const rounds = Math.ceil((others.length + 1) / (limits.total * latencyClasses[0].share));
      // the simulated time advances in steps of 10 ms
      expect(wait).toBeLessThanOrEqual(rounds * (latencyClasses[0].underMs + 10));
    }),
    { numRuns: 30 },
  );
});
