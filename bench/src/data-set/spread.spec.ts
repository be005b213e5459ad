import { Random } from './random.js';
import { weighted, zipf } from './spread.js';

const draws = 20_000;
const shares = (pick: (random: Random) => number | string): Record<string, number> => {
  const random = new Random(1);
  const counts: Record<string, number> = {};
  for (let n = 0; n < draws; n++) {
    const picked = pick(random);
    counts[picked] = (counts[picked] ?? 0) + 1 / draws;
  }
  return counts;
};

it('the first few get most and the long tail little', () => {
  const of = shares(zipf(1_000));
  expect(of[0]).toBeGreaterThan(0.1);
  expect((of[0] ?? 0) / (of[9] ?? 0)).toBeGreaterThan(5);
  expect(Object.keys(of).length).toBeGreaterThan(800);
});

it('each choice occurs according to its weight', () => {
  const of = shares(
    weighted([
      ['a', 3],
      ['b', 1],
    ]),
  );
  expect(of['a']).toBeCloseTo(0.75, 1);
  expect(of['b']).toBeCloseTo(0.25, 1);
});

it('the same seed gives the same numbers, and another seed different ones', () => {
  const numbers = (seed: number) => {
    const random = new Random(seed);
    return [random.next(), random.below(10), random.uuid()];
  };
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers(7)[2]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
