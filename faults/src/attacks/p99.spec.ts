import { compareP99, p99 } from './p99.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => count - n);

it('is the smallest latency that 99 of 100 do not exceed', () => {
  const counts = [1, 50, 100, 101, 200, 1_000];
  expect(counts.map((count) => p99(upTo(count)))).toEqual([1, 50, 99, 100, 198, 990]);
  expect(() => p99([])).toThrow('nothing to compare');
});

it('is compared by the median of the rounds, so that one outlier has no effect', () => {
  const comparison = compareP99([[20], [900], [30]], [[40], [50], [60]], 10);
  expect(comparison).toEqual({ alone: 30, beside: 50, ratio: 50 / 30 });
});

it('counts as at least the floor in a ratio', () => {
  expect(compareP99([[1]], [[9]], 10)).toEqual({ alone: 1, beside: 9, ratio: 1 });
  expect(compareP99([[1]], [[25]], 10)).toEqual({ alone: 1, beside: 25, ratio: 2.5 });
});
