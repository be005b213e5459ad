import { affiliates, suspendedAtNoon, type Affiliate, type Currency } from './people.js';
import { seededRandom } from './seeded-random.js';

/** Minutes since midnight, by the shop's clock. */
export type Minute = number;

/** A sale that the shop reports to the service. */
export interface Order {
  /** The shop's own number for the order, sent as `external_transaction_id`. */
  readonly number: string;
  readonly affiliate: Affiliate;
  /** In the minor unit of the currency. */
  readonly amount: number;
  readonly currency: Currency;
}
export type Change = 'approved' | 'rejected' | 'refunded';

/** One event of the shop's day. */
export type DayEvent = { readonly at: Minute } &
  /** An order is sent `times` times at the same time. `repeated` means that it was sent before. */
  (
    | {
        readonly kind: 'order';
        readonly order: Order;
        readonly times: number;
        readonly repeated: boolean;
      }
    | { readonly kind: 'change'; readonly order: Order; readonly to: Change }
    /** Part of an order is returned, and this much of its amount is refunded. */
    | { readonly kind: 'refund'; readonly order: Order; readonly amount: number }
    | { readonly kind: 'suspend'; readonly affiliate: Affiliate }
    /** The shop's own webhook receiver goes away or comes back. */
    | { readonly kind: 'receiver'; readonly open: boolean }
    /** The service is killed, as in a power cut. */
    | { readonly kind: 'kill' }
  );

export const opens: Minute = 8 * 60;
export const closes: Minute = 20 * 60;
export const noon: Minute = 12 * 60;

/** A shop's day in chronological order. The same seed gives the same day. */
export const shopDay = (seed: number): readonly DayEvent[] => {
  const random = seededRandom(seed);
  const randomBetween = (from: number, to: number): number =>
    from + Math.floor(random() * (to - from + 1));
  const dayEvents: DayEvent[] = [
    { at: 10 * 60 + 15, kind: 'receiver', open: false },
    { at: 10 * 60 + 35, kind: 'receiver', open: true },
    { at: noon, kind: 'suspend', affiliate: named(suspendedAtNoon) },
    { at: 14 * 60 + 5, kind: 'kill' },
  ];
  const orders = orderMinutes(randomBetween).map(({ at, affiliate = pick(random) }, index) => ({
    at,
    order: orderOf(affiliate, 1_001 + index, randomBetween),
  }));
  for (const { at, order } of orders) {
    dayEvents.push({ at, kind: 'order', order, times: random() < 0.07 ? 8 : 1, repeated: false });
    if (random() < 0.1)
      dayEvents.push({
        at: at + randomBetween(1, 40),
        kind: 'order',
        order,
        times: 1,
        repeated: true,
      });
    if (order.affiliate.name !== suspendedAtNoon || at < noon)
      dayEvents.push(...fate(at, order, random, randomBetween));
  }
  return dayEvents.filter(({ at }) => at < closes).sort((a, b) => a.at - b.at);
};

/** The number of orders in each hour: few in the morning, more at lunch and in the evening. */
const perHour = [4, 6, 7, 9, 12, 9, 6, 6, 7, 9, 11, 5];

const orderMinutes = (
  randomBetween: (from: number, to: number) => number,
): { at: Minute; affiliate?: Affiliate }[] => {
  const hourly = perHour.flatMap((count, hour) =>
    Array.from({ length: count }, () => ({ at: opens + 60 * hour + randomBetween(0, 59) })),
  );
  const tooLate = [noon + 3, noon + 95, noon + 260].map((at) => ({
    at,
    affiliate: named(suspendedAtNoon),
  }));
  return [...hourly, ...tooLate].sort((a, b) => a.at - b.at);
};

/**
 * The later life of a sale: most are approved once paid for, a few are rejected, and some approved
 * ones are refunded, wholly or in part.
 */
const fate = (
  at: Minute,
  order: Order,
  random: () => number,
  randomBetween: (from: number, to: number) => number,
): DayEvent[] => {
  const verdict = at + randomBetween(10, 90);
  const luck = random();
  if (luck < 0.08) return [{ at: verdict, kind: 'change', order, to: 'rejected' }];
  if (luck < 0.28) return [];
  const approved: DayEvent = { at: verdict, kind: 'change', order, to: 'approved' };
  const regret = random();
  if (regret >= 0.24) return [approved];
  const later = verdict + randomBetween(30, 180);
  return [
    approved,
    regret < 0.12
      ? { at: later, kind: 'change', order, to: 'refunded' }
      : { at: later, kind: 'refund', order, amount: randomBetween(1, order.amount - 1) },
  ];
};

const orderOf = (
  affiliate: Affiliate,
  number: number,
  randomBetween: (from: number, to: number) => number,
): Order => {
  const { currency } = affiliate.program;
  const amount =
    currency === 'JPY'
      ? randomBetween(28, 240) * 100
      : randomBetween(19, 189) * 100 + (randomBetween(0, 1) === 1 ? 99 : 50);
  return { number: `order-${number}`, affiliate, amount, currency };
};

const pick = (random: () => number): Affiliate => {
  let left = random() * affiliates.reduce((sum, { weight }) => sum + weight, 0);
  return affiliates.find(({ weight }) => (left -= weight) < 0) ?? named(suspendedAtNoon);
};

const named = (name: string): Affiliate => {
  const found = affiliates.find((affiliate) => affiliate.name === name);
  if (found === undefined) throw new Error(`there is no affiliate ${name}`);
  return found;
};
