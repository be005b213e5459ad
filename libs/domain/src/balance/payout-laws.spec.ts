import type { BalanceEvent } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { opened, posting } from '../../test/balances.js';
import { createPayout, endOf, payoutIdOf, reservedPayout } from '../../test/payouts.js';
import { instantOf, given, refusal, when } from '../../test/scenario.js';
import type { Decider } from '../decider.js';
import { newPayout } from '../payout/new-payout.js';
import type { PayoutCreated } from '../payout/payout-record.js';
import type { BalanceChange } from './balance-change.js';
import { balanceDecider, type BalanceCommand } from './balance.decider.js';
import { figuresOf } from './balance-figures.js';
import { noBalance, type BalanceState } from './balance-state.js';
import { inOrder } from './buckets.js';
import { openingOf } from './chapters.js';
import { linesUntil } from './payout-lines.js';

type BalanceDecider = Decider<BalanceCommand, BalanceState, BalanceEvent>;
type Step =
  | { readonly type: 'entry'; readonly amount: number; readonly day: string }
  | { readonly type: 'reserve'; readonly until: string; readonly partial: boolean }
  | {
      readonly type: 'end';
      readonly became: 'completed' | 'failed' | 'canceled';
      readonly which: number;
    };

/** The expected state: every entry, and the payout that holds it. */
interface Model {
  readonly entries: { number: number; amount: number; day: string; payout: Payout | undefined }[];
  readonly payouts: Payout[];
}
interface Payout {
  readonly created: PayoutCreated;
  readonly lines: readonly number[];
  status: 'created' | 'completed' | 'failed' | 'canceled';
}

const days = ['2026-01-01', '2026-01-02'];
const day = fc.constantFrom(...days);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('entry' as const),
        amount: fc.integer({ min: -20, max: 60 }).filter((amount) => amount !== 0),
        day,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('reserve' as const),
        until: day,
        partial: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('end' as const),
        became: fc.constantFrom('completed' as const, 'failed' as const, 'canceled' as const),
        which: fc.nat(4),
      }),
    },
  ),
  // long ones: some faults need six steps on the same day
  { minLength: 10, maxLength: 40, size: 'max' },
);

it('obeys the laws of money, whatever happens and across chapters', () => {
  fc.assert(fc.property(steps, (sequence) => play(balanceDecider, sequence)));
});

it.each<[string, (after: BalanceState, event: BalanceEvent) => BalanceState]>([
  [
    'a range is extended over others that a payout took or returned',
    (state) => ({
      ...state,
      buckets: inOrder(state.buckets).reduce(
        (all, [on, ranges]) =>
          all.with(
            on,
            ranges.map(({ closed: _, ...range }) => range),
          ),
        state.buckets,
      ),
    }),
  ],
  [
    'a release leaves what is paid unchanged',
    (state, event) =>
      event.type === 'balance.released' && event.data.was === 'paid'
        ? { ...state, paid: state.paid + BigInt(event.data.amount) }
        : state,
  ],
])('breaks them when %s', (_, mutated) => {
  const mutant: BalanceDecider = {
    ...balanceDecider,
    evolve: (state, event, meta) => mutated(balanceDecider.evolve(state, event, meta), event),
  };
  const { errorInstance } = fc.check(
    fc.property(steps, (sequence) => play(mutant, sequence)),
    { endOnFailure: true },
  );
  // an assertion of Jest, whose message may be colored
  expect(errorInstance).toHaveProperty('matcherResult.pass', false);
});

const chapterLength = 9;

/** Plays the steps on a balance and on the model, and compares them after each. */
const play = (decider: BalanceDecider, sequence: readonly Step[]): void => {
  const model: Model = { entries: [], payouts: [] };
  let state = opened;
  sequence.forEach((step, n) => {
    const change = changeOf(step, { state, model, n });
    if (change === undefined) return;
    for (let done = false; !done;) {
      if (state.phase === 'closed') state = nextChapter(decider, state);
      // what does not fit is decided again on the next chapter
      const command = commandOf(change, state);
      const events = when(decider, state, command);
      state = evolvedBy(decider, state, events);
      done = state.phase !== 'closed';
    }
    expectLaws(state, model);
  });
};

type Change = BalanceChange | ((balance: BalanceState) => PayoutCreated);

const commandOf = (change: Change, state: BalanceState): BalanceCommand =>
  typeof change === 'function'
    ? { type: 'reserve', payout: reservedPayout(change(state)), chapterLength }
    : { type: 'post', changes: [change], chapterLength };

/** Returns the change that a step makes, and makes it in the model; undefined if it makes none. */
const changeOf = (
  step: Step,
  { state, model, n }: { readonly state: BalanceState; readonly model: Model; readonly n: number },
): Change | undefined => {
  const { entries, payouts } = model;
  switch (step.type) {
    case 'entry':
      entries.push({
        number: entries.length + 1,
        amount: step.amount,
        day: step.day,
        payout: undefined,
      });
      return posting(n + 1, step.amount, step.day);
    case 'reserve':
      return reservationOf(step, state, model);
    case 'end': {
      const payout = payouts[step.which % Math.max(1, payouts.length)];
      if (payout === undefined || !follows(payout.status, step.became)) return undefined;
      payout.status = step.became;
      if (step.became !== 'completed') returnLines(payout, entries);
      return endOf(payout.created, step.became, n + 1);
    }
  }
};

const returnLines = (payout: Payout, entries: Model['entries']): void => {
  for (const entry of entries) if (entry.payout === payout) entry.payout = undefined;
};

const reservationOf = (
  { until, partial }: Extract<Step, { type: 'reserve' }>,
  state: BalanceState,
  { entries, payouts }: Model,
): Change | undefined => {
  const due = entries.filter((entry) => entry.payout === undefined && entry.day <= until);
  const amount = sum(due);
  const create = (balance: BalanceState) =>
    newPayout(
      createPayout(balance, { until, partial }, { payout_id: payoutIdOf(payouts.length + 1) }),
    );
  if (amount <= 0) {
    expect(refusal(() => create(state))).toMatchObject({ extras: { payable: BigInt(amount) } });
    return undefined;
  }
  const created = create(state);
  expect(created.data).toMatchObject({ amount: String(amount), entry_count: due.length });
  const payout: Payout = { created, lines: due.map(({ number }) => number), status: 'created' };
  payouts.push(payout);
  for (const entry of due) entry.payout = payout;
  const id = payoutIdOf(payouts.length);
  return (balance) => newPayout(createPayout(balance, { until, partial }, { payout_id: id }));
};

const follows = (from: Payout['status'], to: 'completed' | 'failed' | 'canceled'): boolean =>
  from === 'created' || (from === 'completed' && to === 'failed');

const expectLaws = (state: BalanceState, { entries, payouts }: Model): void => {
  const { earned, adjusted, inPayout, paid, entries: count } = present(figuresOf(state));
  const open = entries.filter(({ payout }) => payout === undefined);
  const inStatus = (status: Payout['status']) =>
    sum(entries.filter(({ payout }) => payout?.status === status));
  // L1, L3 and L6
  expect(count).toBe(entries.length);
  expect(earned + adjusted).toBe(BigInt(sum(entries)));
  expect([inPayout, paid]).toEqual([BigInt(inStatus('created')), BigInt(inStatus('completed'))]);
  // L3 and L4
  for (const until of days) {
    const due = open.filter((entry) => entry.day <= until);
    const { amount, count: number } = linesUntil(state.buckets, until);
    expect([amount, number]).toEqual([BigInt(sum(due)), due.length]);
  }
  // L4: the ranges cover no entry of the day that a payout holds
  for (const [on, ranges] of inOrder(state.buckets)) {
    const covered = entries.filter((entry) => entry.day === on && isIn(ranges, entry.number));
    expect(covered.map(({ payout }) => payout)).toEqual(covered.map(() => undefined));
  }
  for (const { created, lines } of payouts) expectLines(created, lines, entries);
};

/** L5 and L8. */
const expectLines = (
  { data }: PayoutCreated,
  lines: readonly number[],
  entries: Model['entries'],
): void => {
  const own = entries.filter((entry) =>
    data.buckets.some(({ payable_on, ranges }) => {
      return payable_on === entry.day && isIn(ranges, entry.number);
    }),
  );
  expect(own.map(({ number }) => number)).toEqual(lines);
  expect(data.amount).toBe(String(sum(own)));
  expect(data.entry_count).toBe(own.length);
  expect(sum(own)).toBeGreaterThan(0);
  expect(own.every((entry) => entry.day <= data.until)).toBe(true);
};

const isIn = (
  ranges: readonly { readonly from: number; readonly to: number }[],
  number: number,
): boolean => ranges.some(({ from, to }) => from <= number && number <= to);

const sum = (entries: readonly { readonly amount: number }[]): number =>
  entries.reduce((total, { amount }) => total + amount, 0);

const evolvedBy = (
  decider: BalanceDecider,
  state: BalanceState,
  events: readonly BalanceEvent[],
): BalanceState =>
  events.reduce(
    (before, event) =>
      decider.evolve(before, event, { revision: before.length, recordedAt: instantOf(0) }),
    state,
  );

/** Returns the next chapter, and checks that it takes over the fold of this one (L10). */
const nextChapter = (decider: BalanceDecider, closed: BalanceState): BalanceState => {
  const opening = openingOf(closed, 2);
  const { buckets, chapter, length, phase, ...carried } = evolvedBy(decider, noBalance, opening);
  const { buckets: before, chapter: last, length: _, phase: __, ...expected } = closed;
  expect(carried).toEqual(expected);
  expect(new Map(buckets)).toEqual(new Map(before));
  expect([chapter, length, phase]).toEqual([last + 1, opening.length, 'open']);
  expect(given(decider, ...opening).chain).toBe(closed.chain);
  return evolvedBy(decider, noBalance, opening);
};
