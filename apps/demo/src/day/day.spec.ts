import fc from 'fast-check';
import { expectedBooks } from '../checking/books.js';
import { closes, noon, opens, shopDay } from './day.js';
import { affiliates, currencies, suspendedAtNoon } from './people.js';

const seeds = fc.integer({ min: 0, max: 100_000 });
const whole = (law: (seed: number) => void) => fc.assert(fc.property(seeds, law), { numRuns: 50 });

it('makes the same day from the same seed, and a different one from a different seed', () => {
  expect(shopDay(7)).toEqual(shopDay(7));
  expect(shopDay(7)).not.toEqual(shopDay(8));
});

it('is in chronological order, within opening hours', () =>
  whole((seed) => {
    const times = shopDay(seed).map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((at) => at >= opens && at < closes)).toBe(true);
  }));

it('never changes a sale that the service rejects or does not have yet', () =>
  whole((seed) => {
    expect(() => expectedBooks(shopDay(seed), affiliates)).not.toThrow();
  }));

it('has everything that the demo shows: rejections, immediate and later duplicates, and every currency', () =>
  whole((seed) => {
    const day = shopDay(seed);
    const { sales, refused, sent } = expectedBooks(day, affiliates);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(sent).toBeGreaterThan(sales.length + refused.length);
    expect(new Set(sales.map(({ currency }) => currency))).toEqual(new Set(currencies));
    expect(
      day
        .filter((dayEvent) => dayEvent.kind === 'suspend' || dayEvent.kind === 'kill')
        .map(({ at }) => at),
    ).toEqual([noon, expect.any(Number)]);
  }));

it('shows every final status of a sale, and partial refunds, with the default seed', () => {
  const day = shopDay(1);
  expect(new Set(expectedBooks(day, affiliates).sales.map(({ status }) => status))).toEqual(
    new Set(['pending', 'approved', 'rejected', 'refunded']),
  );
  expect(day.some(({ kind }) => kind === 'refund')).toBe(true);
});

it('refunds part of an approved sale, never all of it', () =>
  whole((seed) => {
    for (const dayEvent of shopDay(seed)) {
      if (dayEvent.kind !== 'refund') continue;
      expect(dayEvent.amount).toBeGreaterThan(0);
      expect(dayEvent.amount).toBeLessThan(dayEvent.order.amount);
    }
  }));

it('rejects only the suspended affiliate’s sales, from noon on', () =>
  whole((seed) => {
    const day = shopDay(seed);
    for (const { number, affiliate } of expectedBooks(day, affiliates).refused) {
      expect(affiliate.name).toBe(suspendedAtNoon);
      expect(
        day.find((dayEvent) => dayEvent.kind === 'order' && dayEvent.order.number === number)?.at,
      ).toBeGreaterThanOrEqual(noon);
    }
  }));
