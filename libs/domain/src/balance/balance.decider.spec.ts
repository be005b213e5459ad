import type { BalanceEvent } from '@refledger/contracts';
import fc from 'fast-check';
import { balanceAbout, bonus, evolved, opened, post, posting } from '../../test/balances.js';
import { instantOf } from '../../test/scenario.js';
import type { BalancePosting } from './balance-change.js';
import { balanceDecider } from './balance.decider.js';
import { noBalance, type BalanceState } from './balance-state.js';
import { bucketSums } from './buckets.js';
import { openingOf } from './chapters.js';

const typesOf = (events: readonly BalanceEvent[]) => events.map(({ type }) => type);
const many = (count: number, from = 1): BalancePosting[] =>
  Array.from({ length: count }, (_, n) => posting(from + n, n + 1));

it('posts entries in order, each with its number, source, log time and hash', () => {
  const { events } = post(opened, [posting(1, 4000), bonus(2, -500, '2026-02-01')]);
  const { entry, source, posted_at } = bonus(2, -500, '2026-02-01');
  expect(events).toMatchObject([
    { type: 'balance.posted', data: { number: 1, amount: 4000, posted_at: instantOf(1) } },
    { type: 'balance.posted', data: { ...balanceAbout, number: 2, ...entry, source, posted_at } },
  ]);
  const [first, second] = events.map(({ data }) => ('chain' in data ? data.chain : undefined));
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
});

it('adds up commissions and adjustments', () => {
  const kinds = ['commission', 'correction', 'reversal', 'adjustment', 'adjustment_void'] as const;
  const postings = kinds.map((kind, n) => {
    const { entry, ...rest } = posting(n + 1, 10 ** n, `2026-01-0${n + 1}`);
    return { ...rest, entry: { ...entry, kind } };
  });
  const { events, state } = post(opened, postings);
  expect(state).toMatchObject({
    phase: 'open',
    about: balanceAbout,
    chapter: 0,
    length: 6,
    number: 5,
    payouts: 0,
    through: postings[4]?.source,
    postedAt: instantOf(5),
    chain: events.at(-1)?.data['chain' as keyof object],
    inFlight: {},
    earned: 111n,
    adjusted: 11_000n,
    paid: 0n,
  });
  expect([...bucketSums(state.buckets).values()]).toEqual([1n, 10n, 100n, 1000n, 10_000n]);
});

it('keeps sums above 2^53', () => {
  const large = 999_999_999_999;
  const { earned } = post({ ...opened, earned: BigInt(Number.MAX_SAFE_INTEGER) }, [
    posting(1, large),
    posting(2, large),
  ]).state;
  expect(earned).toBe(9_007_199_254_740_991n + 1_999_999_999_998n);
});

describe('a chapter that fills up', () => {
  const withLength = (length: number): BalanceState => ({ ...opened, length });

  it.each([
    ['posts what fits', 996, 2, ['balance.posted', 'balance.posted']],
    ['posts up to the last but one event', 998, 1, ['balance.posted']],
    ['is closed at revision 999', 998, 2, ['balance.posted', 'balance.closed']],
    ['is closed without another entry', 999, 1, ['balance.closed']],
  ])('%s', (_, length, count, expected) => {
    const { events, state } = post(withLength(length), many(count));
    expect(typesOf(events)).toEqual(expected);
    expect(state.length).toBe(length + expected.length);
    expect(state.phase).toBe(state.length === 1_000 ? 'closed' : 'open');
  });

  it('never has more than 1,000 events, however much is posted at a time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 8 }), (sizes) => {
        let state = opened;
        for (const size of sizes) {
          if (state.phase === 'closed') break;
          state = post(state, many(size, state.number + 1)).state;
        }
        expect(state.length).toBeLessThanOrEqual(1_000);
        expect(state.phase === 'closed').toBe(state.length === 1_000);
      }),
      { numRuns: 20 },
    );
  });

  it('continues in the next one', () => {
    const closed = post(opened, [posting(1, 1), posting(2, 2)], 3).state;
    const next = evolved(noBalance, openingOf(closed));
    const { events, state } = post(next, [posting(2, 2)]);
    expect(events).toMatchObject([{ data: { number: 2, amount: 2 } }]);
    expect(state).toMatchObject({ chapter: 1, number: 2, earned: 3n, length: 3 });
    expect(new Map(state.buckets)).toEqual(
      new Map([['2026-01-31', [{ from: 1, to: 2, amount: 3n, count: 2 }]]]),
    );
  });
});

it.each([
  ['none', noBalance],
  ['opening', { ...opened, phase: 'opening' as const }],
  ['closed', { ...opened, phase: 'closed' as const }],
])('refuses to post to a chapter that is %s', (phase, state) => {
  const command = { type: 'post', changes: many(1) } as const;
  expect(() => balanceDecider.decide(command, state)).toThrow(
    `chapter 0 of a balance is ${phase}, not open`,
  );
});

it('posts nothing when nothing is due', () => {
  expect(post(opened, []).events).toEqual([]);
});
