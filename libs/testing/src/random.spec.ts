import { Random } from './random.js';

const draws = (random: Random): number[] => Array.from({ length: 1_000 }, () => random.next());

describe('random numbers', () => {
  it('are the same for the same seed, and different for another', () => {
    expect(draws(new Random(7))).toEqual(draws(new Random(7)));
    expect(draws(new Random(7))).not.toEqual(draws(new Random(8)));
  });

  it('of a part do not depend on earlier draws, and differ between parts', () => {
    const drawn = new Random(7);
    drawn.next();
    expect(draws(drawn.fork('round 1'))).toEqual(draws(new Random(7).fork('round 1')));
    expect(draws(drawn.fork('round 1'))).not.toEqual(draws(drawn.fork('round 2')));
  });

  it('cover all possible values', () => {
    const random = new Random(1);
    expect(new Set(Array.from({ length: 1_000 }, () => random.intBetween(3, 6)))).toEqual(
      new Set([3, 4, 5]),
    );
    const kinds = Array.from({ length: 1_000 }, () =>
      random.weighted({ often: 9, rarely: 1, never: 0 }),
    );
    const often = kinds.filter((kind) => kind === 'often').length;
    expect([often > 800, often < 980, kinds.includes('never')]).toEqual([true, true, false]);
  });
});
