import { streams, type BalanceEvent } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { balanceAbout, evolved, opened, post, posting } from '../../test/balances.js';
import { endOf, payoutIdOf, reserve } from '../../test/payouts.js';
import { instantOf } from '../../test/scenario.js';
import type { PayoutEnd } from './balance-change.js';
import { figuresOf } from './balance-figures.js';
import { noBalance, type BalanceState } from './balance-state.js';
import { openingOf } from './chapters.js';
import { nextInChain } from './hash-chain.js';

const first = payoutIdOf(1);
const day = '2026-01-31';
const filled = post(opened, [
  posting(1, 4000),
  posting(2, 300),
  posting(3, 50, '2026-12-31'),
]).state;
const { created, events: reservation } = reserve(filled, 1);
const reserved = evolved(filled, reservation);
const completed = post(reserved, [endOf(created, 'completed', 5)]).state;
const typesOf = (events: readonly BalanceEvent[]) => events.map(({ type }) => type);
const sums = (state: BalanceState) => {
  const { inPayout, paid, open } = present(figuresOf(state));
  return { inPayout, paid, open };
};
const later = ['2026-12-31', 50n] as const;

/** Checks that each event's hash covers the one before it and its own data. */
const expectChain = (before: BalanceState, events: readonly BalanceEvent[]): void => {
  let head = before.chain;
  for (const { data } of events) {
    if (!('chain' in data)) continue;
    const { chain, ...covered } = data;
    head = nextInChain(head, covered);
    expect(chain).toBe(head);
  }
  expect(evolved(before, events).chain).toBe(head);
};

describe('reserving', () => {
  it('holds the lines and the exact creation of the payout', () => {
    const { payout_id, payout_number, until, buckets, amount, entry_count } = created.data;
    const taken = { payout_id, payout_number, until, buckets, amount, entry_count };
    expect(reservation).toMatchObject([
      {
        type: 'balance.reserved',
        data: {
          ...balanceAbout,
          ...taken,
          append: {
            stream: streams.payout(payout_id),
            expected_revision: null,
            events: [{ type: 'payout.created', data: created.data }],
          },
        },
      },
    ]);
    expectChain(filled, reservation);
    expect(created.data.chain).toBe(filled.chain);
  });

  it('takes the lines out of what is open, and names its chapter and revision', () => {
    expect(sums(reserved)).toEqual({ inPayout: 4300n, paid: 0n, open: [later] });
    expect(reserved).toMatchObject({
      payouts: 1,
      number: 3,
      length: 5,
      through: filled.through,
      inFlight: { [first]: { amount: '4300', chapter: 0, revision: 4 } },
    });
  });

  it('closes a chapter that is full first, and is decided again on the next one', () => {
    const { events } = reserve(filled, 1, { chapterLength: 5 });
    expect(typesOf(events)).toEqual(['balance.closed']);
    const next = evolved(noBalance, openingOf(evolved(filled, events)));
    const again = reserve(next, 1);
    expectChain(next, again.events);
    expect(next.chain).toBe(filled.chain);
    expect(evolved(next, again.events).inFlight).toEqual({
      [first]: { amount: '4300', chapter: 1, revision: 2 },
    });
  });
});

describe('a payout that is completed', () => {
  it('is settled: its amount moves from what is in payouts to what is paid', () => {
    const end = endOf(created, 'completed', 5);
    const { events, state } = post(reserved, [end]);
    const { source, posted_at } = end;
    const settled = { ...balanceAbout, payout_id: first, amount: '4300', source, posted_at };
    expect(events).toMatchObject([{ type: 'balance.settled', data: settled }]);
    expectChain(reserved, events);
    expect(sums(state)).toEqual({ inPayout: 0n, paid: 4300n, open: [later] });
    expect(state).toMatchObject({
      through: source,
      postedAt: instantOf(5),
      length: 6,
      inFlight: {},
    });
  });

  it('changes nothing when it is not in flight', () => {
    expect(post(completed, [endOf(created, 'completed', 6)]).events).toEqual([]);
  });
});

describe('a payout that ends without payment', () => {
  it.each(['failed', 'canceled'] as const)(
    'and is %s is released: its lines are open',
    (became) => {
      const { events, state } = post(reserved, [endOf(created, became, 5)]);
      const { buckets } = created.data;
      expect(events).toMatchObject([{ type: 'balance.released', data: { buckets, was: 'open' } }]);
      expectChain(reserved, events);
      expect(sums(state)).toEqual({ inPayout: 0n, paid: 0n, open: [[day, 4300n], later] });
      expect(state.through).toEqual(endOf(created, became, 5).source);
      const next = reserve(state, 2);
      expect(next.created.data).toMatchObject({ payout_number: 2, amount: '4300', buckets });
    },
  );

  it('after it was completed is subtracted from what is paid', () => {
    const { events, state } = post(completed, [endOf(created, 'failed', 6)]);
    expect(events).toMatchObject([{ type: 'balance.released', data: { was: 'paid' } }]);
    expect(sums(state)).toEqual({ inPayout: 0n, paid: 0n, open: [[day, 4300n], later] });
  });

  it('leaves a range of its own beside later entries of its day', () => {
    const { state } = post(reserved, [posting(5, 7), endOf(created, 'failed', 6), posting(7, 8)]);
    expect(state.buckets.get(day)?.map(({ from, to, count }) => [from, to, count])).toEqual([
      [1, 2, 2],
      [4, 4, 1],
      [5, 5, 1],
    ]);
  });

  it('in one batch with its completion, is settled and then released', () => {
    const ends = [endOf(created, 'completed', 5), endOf(created, 'failed', 6)];
    const { events, state } = post(reserved, ends);
    expect(events).toMatchObject([{ type: 'balance.settled' }, { data: { was: 'paid' } }]);
    expectChain(reserved, events);
    expect(sums(state).paid).toBe(0n);
  });

  it('is released in the next chapter when this one is full', () => {
    const { events, state } = post(reserved, [endOf(created, 'failed', 5)], 6);
    expect(typesOf(events)).toEqual(['balance.closed']);
    const next = evolved(noBalance, openingOf(state));
    const released = post(next, [endOf(created, 'failed', 5)]);
    expectChain(next, released.events);
    expect(sums(released.state)).toEqual({
      inPayout: 0n,
      paid: 0n,
      open: [[day, 4300n], later],
    });
  });
});

describe('the end of a payout', () => {
  it.each(['completed', 'failed'] as const)(
    'and is %s is dated by its source, although a clock was ahead when later sources were posted',
    (became) => {
      const ahead = post(reserved, [posting(9, 10)]).state;
      const { events, state } = post(ahead, [
        { ...endOf(created, became, 10), posted_at: instantOf(4) },
      ]);
      expect(events).toMatchObject([{ data: { posted_at: instantOf(4) } }]);
      expect(state.postedAt).toBe(instantOf(4));
    },
  );
});

describe('a reservation that is void', () => {
  const { payout_id, amount, buckets, balance_id } = created.data;
  const voidEnd = (revision = 4, chapter = 0): PayoutEnd => ({
    about: balanceAbout,
    source: {
      ...posting(4, 1).source,
      stream: streams.balance(balance_id, String(chapter)),
      revision,
    },
    posted_at: instantOf(4),
    payout: { payout_id, amount, became: 'void', buckets },
  });

  it('is released once', () => {
    const { events, state } = post(reserved, [voidEnd(), voidEnd()]);
    expect(events).toMatchObject([
      { type: 'balance.released', data: { was: 'open', source: voidEnd().source, buckets } },
    ]);
    expect(sums(state)).toEqual({ inPayout: 0n, paid: 0n, open: [[day, 4300n], later] });
  });

  it('moves neither the last source that was posted nor the log time back', () => {
    const further = post(reserved, [posting(9, 10)]).state;
    const { events, state } = post(further, [voidEnd()]);
    expect(events).toMatchObject([{ data: { posted_at: instantOf(9) } }]);
    expect(state).toMatchObject({ through: posting(9, 10).source, postedAt: instantOf(9) });
  });

  it('is released in the same way after its skip was lifted', () => {
    expect(post(reserved, [{ ...voidEnd(), isLifted: true }])).toEqual(post(reserved, [voidEnd()]));
  });

  it.each([
    ['another revision', 3, 0],
    ['another chapter', 4, 1],
  ])('is not the one in flight at %s', (_, revision, chapter) => {
    expect(post(reserved, [voidEnd(revision, chapter)]).events).toEqual([]);
  });

  it('is not one that was completed', () => {
    expect(post(completed, [voidEnd()]).events).toEqual([]);
  });

  it('is found in the chapter after its own', () => {
    const closed = post(reserved, [posting(5, 1)], 6).state;
    const next = evolved(noBalance, openingOf(closed));
    expect(post(next, [voidEnd(2, 1)]).events).toEqual([]);
    expect(post(next, [voidEnd()]).events).toMatchObject([{ data: { was: 'open' } }]);
  });
});
