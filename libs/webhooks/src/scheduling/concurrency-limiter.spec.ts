import { derivedId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { ConcurrencyLimiter, type EndRequest } from './concurrency-limiter.js';

const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];

/** A limiter whose endpoints have each responded once, after this many milliseconds. */
const limiterWith = (
  latencies: Readonly<Record<string, number>>,
  limits = { perEndpoint: 3, total: 16 },
) => {
  const limiter = new ConcurrencyLimiter(limits);
  for (const [endpoint, ms] of Object.entries(latencies))
    begin(limiter, endpoint as typeof a, 0)(ms, 'succeeded');
  return limiter;
};
const begin = (limiter: ConcurrencyLimiter, endpoint: typeof a, now: number) => {
  limiter.take(endpoint);
  return limiter.begin(endpoint, now);
};

it('an endpoint gets one request until it has responded, then its limit, and one again while it does not respond', () => {
  const limiter = limiterWith({});
  const end = begin(limiter, a, 0);
  expect([limiter.hasRoom(a), limiter.hasRoom(b), limiter.prefetchLimit(a)]).toEqual([
    false,
    true,
    0,
  ]);
  end(10, 'succeeded');
  const ends = [begin(limiter, a, 10), begin(limiter, a, 10)];
  expect([limiter.hasRoom(a), limiter.prefetchLimit(a) > 0]).toEqual([true, true]);
  for (const silent of ends) silent(20, 'silent');
  expect([limiter.hasRoom(a), limiter.prefetchLimit(a)]).toEqual([true, 0]);
  limiter.take(a);
  expect(limiter.hasRoom(a)).toBe(false);
});

it('an attempt that sent nothing has no effect', () => {
  const limiter = limiterWith({});
  begin(limiter, a, 0)(5_000, undefined);
  begin(limiter, a, 0);
  expect([limiter.latencyClass(a), limiter.hasRoom(a)]).toEqual([0, false]);
});

it.each([
  [0, 0],
  [249, 0],
  [250, 1],
  [2_499, 1],
  [2_500, 2],
  [60_000, 2],
])('a response after %i ms means latency class %i', (ms, latencyClass) => {
  expect(limiterWith({ [a]: ms }).latencyClass(a)).toBe(latencyClass);
});

it('a released slot is free again', () => {
  const limiter = limiterWith({}, { perEndpoint: 1, total: 2 });
  limiter.take(a);
  expect([limiter.inUse, limiter.hasSlot(0), limiter.hasRoom(a)]).toEqual([1, false, false]);
  limiter.release(a);
  expect([limiter.inUse, limiter.hasSlot(0), limiter.hasRoom(a)]).toEqual([0, true, true]);
});

it('each latency class has its own slots', () => {
  const limiter = limiterWith({ [a]: 3_000 }, { perEndpoint: 3, total: 4 });
  limiter.take(a);
  expect([limiter.hasSlot(2), limiter.hasSlot(1), limiter.hasSlot(0)]).toEqual([false, true, true]);
});

it('a hanging endpoint becomes slow with all its requests, and its quick slots are free for others', () => {
  const limiter = limiterWith({ [a]: 10 }, { perEndpoint: 3, total: 4 });
  begin(limiter, a, 0);
  begin(limiter, a, 200);
  expect([limiter.hasSlot(0), limiter.nextAge(100)]).toEqual([false, 150]);
  expect([...limiter.age(249)]).toEqual([]);
  expect([...limiter.age(250)]).toEqual([a]);
  expect([limiter.latencyClass(a), limiter.hasSlot(0), limiter.hasSlot(1), limiter.inUse]).toEqual([
    1,
    true,
    false,
    2,
  ]);
  expect([limiter.nextAge(250), limiter.nextAge(9_000)]).toEqual([200, 0]);
  expect([...limiter.age(450)]).toEqual([]);
  expect([...limiter.age(2_700)]).toEqual([a]);
  expect([limiter.latencyClass(a), limiter.nextAge(2_700)]).toEqual([2, undefined]);
});

it('a quick response does not make an endpoint quick while an older request hangs', () => {
  const limiter = limiterWith({ [a]: 10 });
  const hangs = begin(limiter, a, 0);
  limiter.age(250);
  begin(limiter, a, 300)(310, 'succeeded');
  expect(limiter.latencyClass(a)).toBe(1);
  hangs(400, 'succeeded');
  begin(limiter, a, 400)(410, 'succeeded');
  expect(limiter.latencyClass(a)).toBe(0);
});

it('an endpoint that becomes quick keeps its slow slots until quick ones are free', () => {
  const limiter = limiterWith({ [a]: 300 }, { perEndpoint: 3, total: 4 });
  const [first] = [begin(limiter, a, 0), begin(limiter, a, 0)];
  first?.(10, 'succeeded');
  expect([limiter.latencyClass(a), limiter.hasSlot(0), limiter.hasSlot(1)]).toEqual([
    0,
    true,
    false,
  ]);
});

it('when more endpoints hang than there are slots, each gets one request, and never more than twice the slots in total', () => {
  const all = Array.from({ length: 20 }, (_, n) => derivedId('endpoint', String(n)));
  const limiter = limiterWith(Object.fromEntries(all.map((endpoint) => [endpoint, 10])), {
    perEndpoint: 4,
    total: 8,
  });
  const held = new Map<string, number>();
  for (let now = 0; now < 10_000; now += 250) {
    limiter.age(now);
    for (const endpoint of all) {
      while (
        limiter.latencyClass(endpoint) === 0 &&
        limiter.hasRoom(endpoint) &&
        limiter.hasSlot(0)
      ) {
        begin(limiter, endpoint, now);
        held.set(endpoint, (held.get(endpoint) ?? 0) + 1);
      }
    }
  }
  // two endpoints filled the quick slots repeatedly until all slots were in use; then the others
  // got one each
  expect([...held.values()]).toEqual([4, 4, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect([limiter.inUse, limiter.hasSlot(0), limiter.hasSlot(2)]).toEqual([16, false, false]);
});

it('forgets a removed endpoint once its requests have ended', () => {
  const limiter = limiterWith({ [a]: 10, [b]: 10 });
  const end = begin(limiter, a, 0);
  limiter.forget(a);
  limiter.forget(b);
  expect([limiter.size, limiter.inUse]).toEqual([1, 1]);
  end(5, 'succeeded');
  expect([limiter.size, limiter.inUse]).toEqual([0, 0]);
});

it('keeps no state for an endpoint without history', () => {
  const limiter = limiterWith({});
  begin(limiter, a, 0)(1, undefined);
  limiter.take(b);
  expect(limiter.size).toBe(1);
  limiter.release(b);
  expect(limiter.size).toBe(0);
});

describe('an endpoint that responds quickly', () => {
  const limits = { perEndpoint: 64, total: 128 };
  /** Keeps the endpoint busy: takes all that it may, ends each request, and so on. */
  const rounds = (limiter: ConcurrencyLimiter, count: number, ms = 10): readonly number[] => {
    const sizes: number[] = [];
    let [now, ends] = [0, [] as EndRequest[]];
    for (let round = 0; round < count; round++) {
      now += ms;
      const waiting = ends;
      ends = [];
      for (const end of [...waiting, () => undefined]) {
        end(now, 'succeeded');
        while (limiter.mayTake(a)) ends.push(begin(limiter, a, now));
      }
      sizes.push(ends.length);
    }
    return sizes;
  };

  it('gets twice as many requests at once in each round trip, but leaves a quarter of its class free', () => {
    const limiter = limiterWith({}, limits);
    expect(rounds(limiter, 7)).toEqual([1, 8, 16, 32, 48, 48, 48]);
    expect([limiter.hasSlot(0), limiter.hasSlot(0, { isSpare: true })]).toEqual([true, false]);
    const others = Array.from({ length: 16 }, (_, n) => derivedId('endpoint', `other ${n}`));
    for (const other of others) {
      expect(limiter.mayTake(other)).toBe(true);
      limiter.take(other);
    }
    expect(limiter.hasSlot(0)).toBe(false);
  });

  it('gets at least 500 deliveries per second from a burst of 2,000 if each takes 100 ms', () => {
    const limiter = limiterWith({}, { perEndpoint: 64, total: 512 });
    const clock = new ManualClock(0);
    let [waiting, endedAt] = [2_000, 0];
    const send = (): void => {
      for (; waiting > 0 && limiter.mayTake(a); waiting--) {
        const end = begin(limiter, a, clock.now());
        clock.schedule(100, () => {
          endedAt = clock.now();
          end(endedAt, 'succeeded');
          send();
        });
      }
    };
    send();
    clock.advance(60_000);
    expect([waiting, limiter.inUse]).toEqual([0, 0]);
    expect(2_000 / (endedAt / 1_000)).toBeGreaterThan(500);
  });

  it('gets no more than its maximum, and a prefetch limit to match', () => {
    const limiter = limiterWith({}, { perEndpoint: 24, total: 512 });
    expect(rounds(limiter, 6)).toEqual([1, 8, 16, 24, 24, 24]);
    expect(limiter.prefetchLimit(a)).toBe(16 * 8 + (24 - 8));
  });

  it('moves no more than 8 requests to the slow class when it hangs', () => {
    const limiter = limiterWith({}, limits);
    rounds(limiter, 5);
    expect([...limiter.age(10_000)]).toEqual([a]);
    expect([limiter.latencyClass(a), limiter.inUse]).toEqual([2, 48]);
    const others = Array.from({ length: 128 / 4 - 8 }, (_, n) => derivedId('endpoint', String(n)));
    for (const other of others) {
      begin(limiter, other, 0)(3_000, 'succeeded');
      expect(limiter.mayTake(other)).toBe(true);
      limiter.take(other);
    }
    expect(limiter.hasSlot(2)).toBe(false);
  });

  it('has half as many after a failure, and its initial limit again once nothing is in flight', () => {
    const limiter = limiterWith({ [a]: 10 }, limits);
    const ends: EndRequest[] = [];
    const fill = () => {
      while (limiter.mayTake(a)) ends.push(begin(limiter, a, 0));
      return ends.length;
    };
    const end = (ending: 'succeeded' | 'failed') => ends.shift()?.(10, ending);
    while (fill() < 32) end('succeeded');
    end('failed');
    expect(fill()).toBe(31);
    while (ends.length > 16) end('succeeded');
    expect(fill()).toBe(16);
    while (ends.length > 0) end('succeeded');
    expect(fill()).toBe(8);
  });
});
