import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { bucketOf, quantile, type Histogram } from './histogram.js';

const histogramOf = (durations: readonly number[]): Histogram => {
  const counts: Record<string, number> = {};
  for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
};
/** The shortest of the durations that at least this fraction of them does not exceed. */
const exactly = (durations: readonly number[], fraction: number): number =>
  present([...durations].sort((a, b) => a - b)[Math.ceil(fraction * durations.length) - 1]);

const day = 86_400_000;
const duration = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 0, max: 20_000 }),
  fc.integer({ min: 0, max: 365 * day }),
);

it('law: every quantile is within 10% of the exact one', () => {
  fc.assert(
    fc.property(
      fc.array(duration, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 1_000 }),
      (durations, permille) => {
        const exact = exactly(durations, permille / 1_000);
        const found = quantile(histogramOf(durations), permille / 1_000) ?? NaN;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.1);
        expect(Number.isInteger(found)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

it('every whole duration up to 100 s is found within 10%, and exactly below 10 ms', () => {
  for (let ms = 0; ms <= 100_000; ms++) {
    const found = quantile({ [bucketOf(ms)]: 1 }, 0.5) ?? NaN;
    if (Math.abs(found - ms) > (ms < 10 ? 0 : ms * 0.1)) throw new Error(`${ms} is ${found}`);
  }
});

it('law: quantiles rise with the fraction, and a longer duration never has a lower bucket', () => {
  fc.assert(
    fc.property(
      fc.array(duration, { minLength: 1, maxLength: 100 }),
      duration,
      duration,
      (durations, one, other) => {
        const [p50, p95, p99] = [0.5, 0.95, 0.99].map(
          (fraction) => quantile(histogramOf(durations), fraction) ?? NaN,
        );
        expect(p50).toBeLessThanOrEqual(present(p95));
        expect(p95).toBeLessThanOrEqual(present(p99));
        expect(bucketOf(Math.min(one, other))).toBeLessThanOrEqual(bucketOf(Math.max(one, other)));
      },
    ),
  );
});

it('has no quantile while it is empty', () => {
  expect(quantile({}, 0.5)).toBeUndefined();
});

it.each([-5, Infinity, Number.MAX_SAFE_INTEGER])('has a bucket for %d, too', (ms) => {
  expect([0, 300]).toContain(bucketOf(ms));
});
