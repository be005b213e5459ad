import { expectedBooks } from './books.js';
import type { DayEvent, Order } from '../day/day.js';
import { affiliates } from '../day/people.js';

const [ada] = affiliates;
const order = (number: string): Order => ({
  number,
  affiliate: ada!,
  amount: 4_950,
  currency: 'USD',
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
    sales: [{ number: 'a', status: 'refunded', amount: 4_950, currency: 'USD' }],
    refused: [],
    sent: 9,
    events: new Set(['conversion.created a', 'conversion.approved a', 'conversion.refunded a']),
  });
});

it('rejects orders first sent after the suspension, but not repeats of earlier ones', () => {
  const { sales, refused, events } = expectedBooks(
    [
      sending('a'),
      { at: 1, kind: 'suspend', affiliate: ada! },
      sending('a', 1, true),
      sending('b'),
    ],
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
