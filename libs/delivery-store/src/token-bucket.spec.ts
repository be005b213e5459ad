import fc from 'fast-check';
import { bucketSize, takeAll } from './token-bucket.js';

const perSecond = fc.integer({ min: 1, max: 1_000 });

it.each([
  { rate: 1, first: 1, nextInMs: 1_000 },
  { rate: 4, first: 1, nextInMs: 250 },
  { rate: 10, first: 2, nextInMs: 100 },
  { rate: 1_000, first: 200, nextInMs: 1 },
])('at $rate per second starts with $first', ({ rate, first, nextInMs }) => {
  const { tokens } = takeAll(0, 1_000_000, bucketSize(rate));
  expect(tokens).toEqual({ taken: first, nextInMs: expect.closeTo(nextInMs, 6) as number });
});

/** Takes all tokens after each of these waits. Returns how many there were, and over what time. */
const drained = (rate: number, waits: readonly number[]) => {
  let [total, fullAt, now] = [0, 0, 1_000_000];
  const since = now;
  for (const wait of waits) {
    now += wait;
    const took = takeAll(fullAt, now, bucketSize(rate));
    ({ fullAt } = took);
    total += took.tokens.taken;
  }
  return { total, passedMs: now - since };
};

it('never gives more than its rate plus what it held at first', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 50 });
  fc.assert(
    fc.property(perSecond, waits, (rate, all) => {
      const { total, passedMs } = drained(rate, all);
      const { intervalMs, burstMs } = bucketSize(rate);
      expect(total).toBeLessThanOrEqual((passedMs + burstMs) / intervalMs + 1e-6);
    }),
  );
});

it('gives its whole rate if it is asked every tenth of a second', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 1_000 }), waits, (rate, all) => {
      const { total, passedMs } = drained(rate, [0, ...all]);
      const { intervalMs, burstMs } = bucketSize(rate);
      expect(total).toBeGreaterThan((passedMs + burstMs) / intervalMs - 1 - 1e-6);
    }),
  );
});

it('has a token when it says it will', () => {
  fc.assert(
    fc.property(perSecond, fc.integer({ min: 0, max: 1_000 }), (rate, wait) => {
      const size = bucketSize(rate);
      const before = takeAll(takeAll(0, 1_000_000, size).fullAt, 1_000_000 + wait, size);
      const at = 1_000_000 + wait + Math.ceil(before.tokens.nextInMs) + 1;
      expect(takeAll(before.fullAt, at, size).tokens.taken).toBeGreaterThan(0);
    }),
  );
});

it('is full at most once its burst has passed, even after the clock was set back', () => {
  const size = bucketSize(10);
  const { fullAt } = takeAll(0, 2_000_000, size);
  const back = takeAll(fullAt, 1_000_000, size);
  expect(back.tokens.taken).toBe(0);
  expect(takeAll(back.fullAt, 1_000_200, size).tokens.taken).toBe(2);
});
