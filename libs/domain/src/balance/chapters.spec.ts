import { eventSchemas, type BalanceEvent } from '@refledger/contracts';
import { balanceAbout, bonus, evolved, opened, post, posting } from '../../test/balances.js';
import { instantOf } from '../../test/scenario.js';
import { balanceDecider } from './balance.decider.js';
import { noBalance, type BalanceState } from './balance-state.js';
import { chapterLength, closingOf, firstOpening, openingOf } from './chapters.js';
import { chainStart } from './hash-chain.js';

const source = (n: number) => posting(n, 1).source;
const days = ['2026-01-03', '2026-01-01', '2026-01-02'];

/** A chapter with entries on three days, which is full. */
const full = (): BalanceState => {
  const postings = days.map((day, index) => posting(index + 1, 100 * (index + 1), day));
  return post(opened, [...postings, bonus(4, -50, days[0]), posting(5, 1)], 6).state;
};
const carriedOver = {
  number: 4,
  payouts: 0,
  through: source(4),
  posted_at: instantOf(4),
  in_flight: {},
  earned: '600',
  adjusted: '-50',
  paid: '0',
};
const expectSchemas = (events: readonly BalanceEvent[]): void => {
  for (const { type, data } of events) eventSchemas.get(type)?.parse(data);
};

it('the first chapter starts empty', () => {
  const first = firstOpening(balanceAbout);
  expectSchemas([first]);
  expect(first).toEqual({
    type: 'balance.opened',
    data: {
      ...balanceAbout,
      chapter: 0,
      carried: 0,
      state: {
        number: 0,
        payouts: 0,
        through: null,
        posted_at: null,
        chain: chainStart(balanceAbout.balance_id),
        in_flight: {},
        earned: '0',
        adjusted: '0',
        paid: '0',
      },
    },
  });
});

it('a chapter ends with its state', () => {
  const { chain } = full();
  expect(closingOf(full())).toEqual({
    type: 'balance.closed',
    data: { ...balanceAbout, state: { ...carriedOver, chain } },
  });
});

it('the next one starts with that state and the open buckets, in as many events as they need', () => {
  const closed = full();
  const opening = openingOf(closed, 2);
  expectSchemas(opening);
  const range = (n: number, amount: string) => ({ from: n, to: n, amount, count: 1 });
  const { chain } = closed;
  expect(opening).toEqual([
    {
      type: 'balance.opened',
      data: { ...balanceAbout, chapter: 1, carried: 2, state: { ...carriedOver, chain } },
    },
    {
      type: 'balance.carried',
      data: {
        ...balanceAbout,
        buckets: [
          { payable_on: '2026-01-01', ranges: [range(2, '200')] },
          { payable_on: '2026-01-02', ranges: [range(3, '300')] },
        ],
      },
    },
    {
      type: 'balance.carried',
      data: {
        ...balanceAbout,
        buckets: [
          { payable_on: '2026-01-03', ranges: [{ from: 1, to: 4, amount: '50', count: 2 }] },
        ],
      },
    },
  ]);
});

it('the next one is open once all buckets have been carried, with the same state', () => {
  const closed = full();
  const opening = openingOf(closed, 1);
  const phases = opening.map((_, n) => evolved(noBalance, opening.slice(0, n + 1)).phase);
  expect(phases).toEqual(['opening', 'opening', 'opening', 'open']);
  const { buckets, ...state } = evolved(noBalance, opening);
  const { buckets: before, ...expected } = closed;
  expect(state).toEqual({ ...expected, phase: 'open', chapter: 1, length: 4, uncarried: 0 });
  expect(new Map(buckets)).toEqual(new Map(before));
});

it('hands over all that payouts will need', () => {
  const closed: BalanceState = {
    ...full(),
    payouts: 3,
    inFlight: { pay_1: { amount: '70', chapter: 0, revision: 5 } },
    paid: 9_007_199_254_740_993n,
  };
  const { payouts, inFlight, earned, adjusted, paid } = evolved(noBalance, openingOf(closed));
  expect({ payouts, inFlight, earned, adjusted, paid }).toEqual({
    payouts: closed.payouts,
    inFlight: closed.inFlight,
    earned: 600n,
    adjusted: -50n,
    paid: closed.paid,
  });
});

it('carries nothing over from a chapter without open entries', () => {
  const closed = { ...opened, phase: 'closed' as const };
  const [first, ...others] = openingOf(closed);
  expect(first?.data).toMatchObject({ chapter: 1, carried: 0 });
  expect(others).toEqual([]);
  if (first !== undefined) expect(evolved(noBalance, [first]).phase).toBe('open');
});

it('carries up to 2,500 ranges in an event of about 256 KiB', () => {
  const buckets = Array.from({ length: 2_501 }, (_, n) => ({
    payable_on: '2026-01-01',
    ranges: [
      { from: 1_000_000 + n, to: 1_000_000 + n, amount: '-999999999999999', count: 1_000_000 },
    ],
  }));
  const opening: BalanceEvent[] = [{ type: 'balance.carried', data: { ...balanceAbout, buckets } }];
  const closed = evolved({ ...opened, uncarried: 1 }, opening);
  const [, first, second] = openingOf({ ...closed, phase: 'closed' });
  const ranges = [first, second].map((event) =>
    event?.type === 'balance.carried'
      ? event.data.buckets.flatMap((bucket) => bucket.ranges).length
      : undefined,
  );
  expect(ranges).toEqual([2_500, 1]);
  expect(JSON.stringify(first).length).toBeLessThan(300 * 1024);
});

it('only a balance that exists has chapters', () => {
  expect(() => closingOf(noBalance)).toThrow('a balance without events has no chapter to close');
  expect(() => openingOf(balanceDecider.initial)).toThrow('no chapter to close');
});

it('has 1,000 events', () => {
  expect(chapterLength).toBe(1_000);
});
