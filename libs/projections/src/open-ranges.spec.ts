import type { BalanceEvent, StoredBucket } from '@refledger/contracts';
import {
  balanceDecider,
  figuresOf,
  firstOpening,
  metaOf,
  type BalanceKey,
} from '@refledger/domain';
import fc from 'fast-check';
import { documentsOf, record } from '../test/history.js';
import { balancesProjection, figuresFromDocument } from './balances.projection.js';
import type { BalanceDocument } from './balances.projection.js';

const about: BalanceKey = {
  balance_id: `bal_${'0'.repeat(26)}`,
  affiliate_id: 'aff_1',
  program_id: 'prog_spring',
  currency: 'USD',
};
const source = {
  log_id: 'log',
  position: '7',
  event_id: '00000000-0000-4000-8000-000000000001',
  stream: 'refledger.conversion-conv_1',
  revision: 1,
};
const caused = { ...about, source, posted_at: '2026-01-01T00:00:00.000Z', chain: 'c' };

type Step =
  | { readonly type: 'entry'; readonly amount: number; readonly day: string }
  /** Takes every range whose index, over all days, has its bit in `which`. */
  | { readonly type: 'take'; readonly which: number }
  | { readonly type: 'end'; readonly which: number; readonly became: 'completed' | 'failed' };

interface Payout {
  readonly id: `pay_${string}`;
  readonly buckets: StoredBucket[];
  readonly amount: string;
  isPaid: boolean;
}

const max = Number.MAX_SAFE_INTEGER;
const amount = fc
  .oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -max, max }))
  .filter((one) => one !== 0);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('entry' as const),
    amount,
    day: fc.constantFrom('2026-01-31', '2026-02-01'),
  }),
  fc.record({ type: fc.constant('take' as const), which: fc.integer({ min: 1, max: 15 }) }),
  fc.record({
    type: fc.constant('end' as const),
    which: fc.nat(3),
    became: fc.constantFrom('completed' as const, 'failed' as const),
  }),
);

/** The events of a balance whose payouts take any ranges, return them, and are completed. */
const eventsOf = (steps: readonly Step[]): readonly BalanceEvent[] => {
  const events: BalanceEvent[] = [firstOpening(about)];
  let count = 0;
  const payouts = new Map<number, Payout>();
  for (const next of steps) {
    const { buckets, number } = stateOf(events);
    if (next.type === 'entry') {
      const { amount, day: payable_on } = next;
      const refers = { conversion_id: null, adjustment_id: null, description: null };
      const data = { ...caused, ...refers, number: number + 1, amount, payable_on };
      events.push({ type: 'balance.posted', data: { ...data, kind: 'adjustment' } });
    } else if (next.type === 'take') {
      let index = 0;
      const taken = [...buckets]
        .map(([payable_on, ranges]) => ({
          payable_on,
          ranges: ranges
            .filter(() => (next.which >> index++) & 1)
            .map(({ closed: _, ...range }) => ({ ...range, amount: String(range.amount) })),
        }))
        .filter(({ ranges }) => ranges.length > 0);
      const number = count++;
      const id = `pay_${number}` as const;
      const sum = taken
        .flatMap(({ ranges }) => ranges)
        .reduce((all, one) => all + BigInt(one.amount), 0n);
      payouts.set(number, { id, buckets: taken, amount: String(sum), isPaid: false });
      const payout = { payout_id: id, payout_number: count, until: '2026-02-01' };
      const append = { stream: 's', events: [] } as never;
      const data = { ...about, ...payout, buckets: taken, amount: String(sum), entry_count: 1 };
      events.push({ type: 'balance.reserved', data: { ...data, append, chain: 'c' } });
    } else {
      const payout = payouts.get(next.which);
      if (payout === undefined || (payout.isPaid && next.became === 'completed')) continue;
      const data = { ...caused, payout_id: payout.id, amount: payout.amount };
      if (next.became === 'completed') {
        payout.isPaid = true;
        events.push({ type: 'balance.settled', data });
        continue;
      }
      const was = payout.isPaid ? 'paid' : 'open';
      events.push({ type: 'balance.released', data: { ...data, was, buckets: payout.buckets } });
      payouts.delete(next.which);
    }
  }
  return events;
};

const stateOf = (events: readonly BalanceEvent[]) =>
  record(events.map((event) => ({ stream: 'refledger.balance-b', event }))).reduce(
    (state, event) => balanceDecider.evolve(state, event as never, metaOf(event)),
    balanceDecider.initial,
  );

it('a document has the figures of the balance itself, whatever payouts take and return', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const events = eventsOf(steps);
      const history = record(events.map((event) => ({ stream: 'refledger.balance-b', event })));
      const document = documentsOf(balancesProjection, history).get(about.balance_id);
      expect(figuresFromDocument(document as BalanceDocument)).toEqual(figuresOf(stateOf(events)));
    }),
    // a day whose only range adds up to 0
    { examples: [[[1, -1].map((amount): Step => ({ type: 'entry', amount, day: '2026-01-31' }))]] },
  );
});

it('needs nothing but the sums for days with one range', () => {
  const steps = ['2026-01-31', '2026-02-01', '2026-01-31'].map((day, n): Step => ({
    type: 'entry',
    amount: n + 1,
    day,
  }));
  const history = (more: readonly Step[]) =>
    record(
      eventsOf([...steps, ...more]).map((event) => ({ stream: 'refledger.balance-b', event })),
    );
  const ranges = (...more: readonly Step[]) =>
    documentsOf(balancesProjection, history(more)).get(about.balance_id)?.['ranges'];
  expect(ranges()).toEqual({});
  const take: Step = { type: 'take', which: 3 };
  expect(ranges(take)).toEqual({});
  const failed: Step = { type: 'end', which: 0, became: 'failed' };
  expect(ranges(take, failed)).toEqual({
    '2026-01-31': { count: 1, last: null },
    '2026-02-01': { count: 1, last: null },
  });
});
