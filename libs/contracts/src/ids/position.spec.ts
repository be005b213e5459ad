import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { comparePositions, laterOf, toPosition } from './position.js';

const positionOf = (value: bigint) => present(toPosition(value.toString()));
const positions = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

it.each(['', '-1', '01', '1.0', '1e3', ' 1', '1 ', '0x1', '1'.repeat(21)])(
  '%j is not a position',
  (text) => expect(toPosition(text)).toBeUndefined(),
);

it('compares numbers of any size', () => {
  fc.assert(
    fc.property(positions, positions, (a, b) => {
      expect(Math.sign(comparePositions(positionOf(a), positionOf(b)))).toBe(
        a < b ? -1 : a > b ? 1 : 0,
      );
      expect(laterOf(positionOf(a), positionOf(b))).toBe(positionOf(a > b ? a : b));
    }),
  );
});

it('treats a missing position as the first', () => {
  const zero = positionOf(0n);
  expect([
    laterOf(undefined, zero),
    laterOf(zero, undefined),
    laterOf(undefined, undefined),
  ]).toEqual([zero, zero, undefined]);
});
