import { derivedId, type EndpointId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { EndpointVersion } from '@refledger/webhook-endpoints';
import type { Tokens } from '@refledger/delivery-store';
import { RateLimiter, type Rate } from './rate-limiter.js';

const [limited, free] = [derivedId('endpoint', 'limited'), derivedId('endpoint', 'free')];

let clock: ManualClock;
/** How late timers are. */
let lateMs: number;
/** What the store gives next, call by call. */
let given: (Tokens | Error)[];
/** The calls to the store, with the limit that each named. */
let asked: [EndpointId, number][];
let again: EndpointId[];
let failures: string[];
let maxPerSecond: number | null;
let limiter: RateLimiter;
beforeEach(() => {
  clock = new ManualClock();
  [given, asked, again, failures, maxPerSecond, lateMs] = [[], [], [], [], 10, 0];
  limiter = new RateLimiter({
    store: {
      takeTokens: (endpoint, perSecond) => {
        asked.push([endpoint, perSecond]);
        const next = given.shift() ?? { taken: 0, nextInMs: 100 };
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
    },
    directory: {
      latest: (endpoint) =>
        ({ maxPerSecond: endpoint === limited ? maxPerSecond : null }) as EndpointVersion,
    },
    clock: {
      now: () => clock.now(),
      random: () => clock.random(),
      schedule: (ms, task) => clock.schedule(ms + lateMs, task),
    },
    logRetry: (what) => void failures.push(what),
  });
  limiter.on('again', (endpoint) => void again.push(endpoint));
});

const asking = async (): Promise<boolean> => {
  const may = limiter.mayBegin(limited, 'unlimited');
  await new Promise(setImmediate);
  return may;
};

it('lets requests to an endpoint without a limit start at any time, and asks for no tokens', () => {
  expect([limiter.mayBegin(free, 'unlimited'), limiter.perSecond(free, 'unlimited')]).toEqual([
    true,
    Infinity,
  ]);
  expect(asked).toEqual([]);
});

it('lets as many requests start as the store gave tokens, and then asks again', async () => {
  given = [{ taken: 2, nextInMs: 100 }];
  expect(await asking()).toBe(false);
  expect(again).toEqual([limited]);
  for (let n = 0; n < 2; n++) {
    expect(limiter.mayBegin(limited, 'unlimited')).toBe(true);
    limiter.take(limited, 'unlimited');
  }
  expect(await asking()).toBe(false);
  expect(asked).toEqual([[limited, 10]]);
  clock.advance(100);
  expect(again).toEqual([limited, limited]);
  expect(await asking()).toBe(false);
  expect(asked).toHaveLength(2);
});

it('spreads many tokens over the time until it may ask again', async () => {
  given = [{ taken: 40, nextInMs: 0 }];
  await asking();
  const usable = (): number => {
    let count = 0;
    for (; limiter.mayBegin(limited, 'unlimited'); count++) limiter.take(limited, 'unlimited');
    return count;
  };
  const counts = [usable()];
  for (let ms = 1; ms < 100; ms++) {
    clock.advance(1);
    const count = usable();
    if (count > 0) counts.push(count, ms);
  }
  expect(counts).toEqual([16, 16, 34, 8, 67]);
  expect(again).toEqual([limited, limited, limited]);
  expect(asked).toHaveLength(1);
});

it.each([
  [15, 40],
  [25, 16],
])('drops tokens that come late: of 40 that come %i ms late, %i are left', async (late, left) => {
  [lateMs, given] = [late, [{ taken: 40, nextInMs: 0 }]];
  await asking();
  clock.advance(99 + late);
  let count = 0;
  for (; limiter.mayBegin(limited, 'unlimited'); count++) limiter.take(limited, 'unlimited');
  expect(count).toBe(left);
});

it('asks no more often than ten times a second, and not before there is a token', async () => {
  for (const nextInMs of [0, 1, 250]) {
    given = [{ taken: 0, nextInMs }];
    await asking();
    const before = asked.length;
    clock.advance(Math.max(100, nextInMs) - 1);
    await asking();
    expect(asked).toHaveLength(before);
    clock.advance(1);
  }
  await asking();
  expect(asked).toHaveLength(4);
});

it('keeps tokens for a second, including those that are given back', async () => {
  given = [{ taken: 1, nextInMs: 100 }];
  await asking();
  limiter.take(limited, 'unlimited');
  expect(limiter.mayBegin(limited, 'unlimited')).toBe(false);
  limiter.release(limited, 'unlimited');
  clock.advance(999);
  expect(limiter.mayBegin(limited, 'unlimited')).toBe(true);
  clock.advance(1);
  expect(limiter.mayBegin(limited, 'unlimited')).toBe(false);
});

it('uses a new limit the next time it asks', async () => {
  await asking();
  maxPerSecond = 500;
  clock.advance(100);
  await asking();
  expect(asked.map(([, perSecond]) => perSecond)).toEqual([10, 500]);
  maxPerSecond = null;
  expect(limiter.mayBegin(limited, 'unlimited')).toBe(true);
});

it('asks again a second after the store failed', async () => {
  given = [new Error('the store is down')];
  expect(await asking()).toBe(false);
  expect(failures).toEqual(['taking tokens']);
  clock.advance(999);
  expect(again).toEqual([]);
  clock.advance(1);
  expect(again).toEqual([limited]);
});

it('forgets an endpoint, whose tokens must then be asked for again', async () => {
  given = [{ taken: 5, nextInMs: 100 }];
  await asking();
  limiter.forget(limited);
  expect(limiter.mayBegin(limited, 'unlimited')).toBe(false);
});

it('lets an endpoint without a limit catch up at 20 per second, which slows nothing else', async () => {
  given = [{ taken: 1, nextInMs: 50 }];
  expect(limiter.mayBegin(free, 'catch-up')).toBe(false);
  await new Promise(setImmediate);
  expect(asked).toEqual([[free, 20]]);
  limiter.take(free, 'unlimited');
  expect([limiter.mayBegin(free, 'unlimited'), limiter.mayBegin(free, 'catch-up')]).toEqual([
    true,
    true,
  ]);
  limiter.take(free, 'catch-up');
  expect([limiter.mayBegin(free, 'unlimited'), limiter.mayBegin(free, 'catch-up')]).toEqual([
    true,
    false,
  ]);
});

it('lets an endpoint with a limit catch up at that limit', () => {
  expect(['unlimited', 'catch-up'].map((pace) => limiter.perSecond(limited, pace as Rate))).toEqual(
    [10, 10],
  );
});
