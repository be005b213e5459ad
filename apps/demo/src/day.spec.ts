import fc from 'fast-check';
import { keepBooks } from './books.js';
import { closes, noon, opens, shopDay } from './day.js';
import { affiliates, currencies, suspendedAtNoon } from './people.js';

const seeds = fc.integer({ min: 0, max: 100_000 });
const whole = (law: (seed: number) => void) => fc.assert(fc.property(seeds, law), { numRuns: 50 });

it('is the same day for the same seed, and another for another', () => {
  expect(shopDay(7)).toEqual(shopDay(7));
  expect(shopDay(7)).not.toEqual(shopDay(8));
});

it('goes on in order of time, within opening hours', () =>
  whole((seed) => {
    const times = shopDay(seed).map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((at) => at >= opens && at < closes)).toBe(true);
  }));

it('never changes a sale that the service refuses, or has not been told of', () =>
  whole((seed) => {
    expect(() => keepBooks(shopDay(seed), affiliates)).not.toThrow();
  }));

it('has all that the demonstration is to show: refusals, duplicates at once and later, every currency, and every end of a sale', () =>
  whole((seed) => {
    const day = shopDay(seed);
    const { sales, refused, sent } = keepBooks(day, affiliates);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(sent).toBeGreaterThan(sales.length + refused.length);
    expect(new Set(sales.map(({ currency }) => currency))).toEqual(new Set(currencies));
    expect(
      day
        .filter((happening) => happening.kind === 'suspend' || happening.kind === 'kill')
        .map(({ at }) => at),
    ).toEqual([noon, expect.any(Number)]);
  }));

it('shows every end of a sale with the seed that is used when none is given', () => {
  expect(new Set(keepBooks(shopDay(1), affiliates).sales.map(({ status }) => status))).toEqual(
    new Set(['pending', 'approved', 'rejected', 'refunded']),
  );
});

it('refuses only the sales of who is suspended, from noon on', () =>
  whole((seed) => {
    const day = shopDay(seed);
    for (const { number, affiliate } of keepBooks(day, affiliates).refused) {
      expect(affiliate.name).toBe(suspendedAtNoon);
      expect(
        day.find((happening) => happening.kind === 'order' && happening.order.number === number)
          ?.at,
      ).toBeGreaterThanOrEqual(noon);
    }
  }));
