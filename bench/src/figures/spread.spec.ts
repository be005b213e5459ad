import fc from 'fast-check';
import { spreadOf, percentileOf } from './spread.js';

describe('the spread of a figure', () => {
  it.each([
    [[3], { min: 3, median: 3, max: 3 }],
    [[9, 1, 5], { min: 1, median: 5, max: 9 }],
    [[10, 2, 4, 1], { min: 1, median: 3, max: 10 }],
  ])('of %j', (values, spread) => expect(spreadOf(values)).toEqual(spread));

  it('of no values throws', () => expect(() => spreadOf([])).toThrow(RangeError));

  it('does not depend on the order of the rounds, and has the median between the ends', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const { min, median, max } = spreadOf(values);
        expect(spreadOf([...values].reverse())).toEqual({ min, median, max });
        expect(min <= median && median <= max).toBe(true);
      }),
    );
  });
});

it.each([
  [50, 50],
  [95, 95],
  [99, 99],
  [100, 100],
  [0.5, 1],
])('percentile %d of 1 to 100', (percent, value) => {
  expect(
    percentileOf(
      Array.from({ length: 100 }, (_, n) => 100 - n),
      percent,
    ),
  ).toBe(value);
});
