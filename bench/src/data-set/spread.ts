import type { Random } from './random.js';

/**
 * Picks an index below `count`. The n-th has a weight of 1/n: a few big ones and a long tail
 * (Zipf's law).
 */
export const zipf = (count: number): ((random: Random) => number) => {
  const sums: number[] = [];
  let total = 0;
  for (let n = 1; n <= count; n++) sums.push((total += 1 / n));
  return (random) => firstAbove(sums, random.next() * total);
};

/** Picks one of these by weight. */
export const weighted = <T>(
  choices: readonly (readonly [T, number])[],
): ((random: Random) => T) => {
  const sums: number[] = [];
  let total = 0;
  for (const [, weight] of choices) sums.push((total += weight));
  return (random) => {
    const choice = choices[firstAbove(sums, random.next() * total)];
    if (choice === undefined) throw new RangeError('nothing to choose from');
    return choice[0];
  };
};

/** The first index whose sum is above `value`. */
const firstAbove = (sums: readonly number[], value: number): number => {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? Number.POSITIVE_INFINITY) > value) high = middle;
    else low = middle + 1;
  }
  return low;
};
