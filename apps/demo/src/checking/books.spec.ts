import { present } from '@refledger/testing/present';
import { expectedBooks } from './books.js';
import type { DayEvent, Order } from '../day/day.js';
import { affiliates } from '../day/people.js';

const named = (name: string) => present(affiliates.find((affiliate) => affiliate.name === name));
const ada = named('Ada Okafor');
const order = (number: string, over: Partial<Order> = {}): Order => ({
  number,
  affiliate: ada,
  amount: 4_950,
  currency: 'USD',
  ...over,
});
const sending = (number: string, times = 1, repeated = false): DayEvent => ({
  at: 0,
  kind: 'order',
  order: order(number),
  times,
  repeated,
});

it('counts a repeated order once, with its last status', () => {
  const day: DayEvent[] = [
    sending('a', 8),
    sending('a', 1, true),
    { at: 1, kind: 'change', order: order('a'), to: 'approved' },
    { at: 2, kind: 'change', order: order('a'), to: 'refunded' },
  ];
  expect(expectedBooks(day, [])).toEqual({
    sales: [{ number: 'a', status: 'refunded', amount: 4_950n, currency: 'USD', earned: 0n }],
    payouts: new Map(),
    refused: [],
    sent: 9,
    events: new Set(['conversion.created a', 'conversion.approved a', 'conversion.refunded a']),
  });
});

it('rejects orders first sent after the suspension, but not repeats of earlier ones', () => {
  const { sales, refused, events } = expectedBooks(
    [sending('a'), { at: 1, kind: 'suspend', affiliate: ada }, sending('a', 1, true), sending('b')],
    affiliates.slice(0, 1),
  );
  expect(sales.map(({ number }) => number)).toEqual(['a']);
  expect(refused.map(({ number }) => number)).toEqual(['b']);
  expect(events).toEqual(
    new Set([
      'affiliate.created Ada Okafor',
      'affiliate.approved Ada Okafor',
      'affiliate.suspended Ada Okafor',
      'conversion.created a',
    ]),
  );
});

it('pays in one payout what an affiliate has earned, unless it is suspended', () => {
  const mara = named('Mara Silva');
  const sale = (number: string, affiliate = ada): DayEvent[] => [
    { at: 0, kind: 'order', order: order(number, { affiliate }), times: 1, repeated: false },
    { at: 1, kind: 'change', order: order(number, { affiliate }), to: 'approved' },
  ];
  const { payouts, events } = expectedBooks(
    [
      ...sale('a'),
      ...sale('b'),
      ...sale('c', mara),
      sending('d'),
      { at: 2, kind: 'refund', order: order('b'), amount: 1_000 },
      { at: 3, kind: 'suspend', affiliate: mara },
    ],
    [],
  );
  expect(payouts).toEqual(new Map([['Ada Okafor', { currency: 'USD', amount: 1_238n + 988n }]]));
  expect([...events].filter((event) => /paid|payout/.test(event))).toEqual([
    'conversion.paid a',
    'conversion.paid b',
    'payout.created Ada Okafor',
    'payout.completed Ada Okafor',
  ]);
});

describe('what an affiliate earns', () => {
  const earned = (
    sale: Partial<Order>,
    ...changes: ('approved' | 'rejected' | 'refunded' | number)[]
  ) => {
    const { sales } = expectedBooks(
      [
        { at: 0, kind: 'order', order: order('a', sale), times: 1, repeated: false },
        ...changes.map((to): DayEvent =>
          typeof to === 'number'
            ? { at: 1, kind: 'refund', order: order('a', sale), amount: to }
            : { at: 1, kind: 'change', order: order('a', sale), to },
        ),
      ],
      [],
    );
    return present(sales[0]).earned;
  };
  const ben = { affiliate: named('Ben Carter') };
  const yuki = { affiliate: named('Yuki Tanaka'), amount: 12_800, currency: 'JPY' } as const;

  it.each<[string, Partial<Order>, bigint]>([
    ['by the terms of the program', ben, 990n],
    ['at most the cap', { ...ben, amount: 15_050 }, 3_000n],
    ['by its own terms, rounded half up', {}, 1_238n],
    ['a flat amount', yuki, 1_500n],
  ])('is %s', (_what, sale, amount) => expect(earned(sale, 'approved')).toBe(amount));

  it('is reduced by a refund, and is nothing before approval or after a rejection or full refund', () => {
    expect(earned({}, 'approved', 1_000)).toBe(988n);
    expect(earned({})).toBe(0n);
    expect(earned({}, 'rejected')).toBe(0n);
    expect(earned({}, 'approved', 'refunded')).toBe(0n);
  });
});
