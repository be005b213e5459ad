import type { LoggedEvent } from '@refledger/event-log';
import { historyOf } from '../history.js';
import { dueTrail, writtenTrail } from './paid-trail.js';

const balance_id = 'bal_1';
const day = '2026-01-31';

/** A log of these events, one after another. */
const historyFrom = (...events: readonly (readonly [type: string, data: object])[]) => {
  const revisions = new Map<string, number>();
  return historyOf(
    events.map(([type, data], index) => {
      const { payout_id = '' } = data as { payout_id?: string };
      const revision = revisions.get(payout_id) ?? 0;
      if (type.startsWith('payout.')) revisions.set(payout_id, revision + 1);
      return {
        type,
        data: { balance_id, ...data },
        revision,
        position: String(index + 1),
        stream: 'refledger.conversion-conv_1',
        metadata: { actor: 'ledger', recorded_at: `${day}T09:30:00.000Z` },
      } as unknown as LoggedEvent;
    }),
  );
};

const posted = (number: number, kind: string, amount: number) =>
  ['balance.posted', { number, kind, amount, payable_on: day, conversion_id: 'conv_1' }] as const;
const made = (payout_id: string, payout_number: number, [from, to]: readonly [number, number]) =>
  [
    [
      'balance.reserved',
      { payout_id, until: day, buckets: [{ payable_on: day, ranges: [{ from, to }] }] },
    ],
    ['payout.created', { payout_id, payout_number, after: { status: 'created' } }],
  ] as const;
const marked = (payout_id: string, payout_number: number, status: string) =>
  [`payout.${status}`, { payout_id, payout_number, after: { status } }] as const;
const shown = (payout_id: string | null) =>
  [
    payout_id === null ? 'conversion.unpaid' : 'conversion.paid',
    { conversion_id: 'conv_1', after: { payout_id } },
  ] as const;

const commission = posted(1, 'commission', 100);

it('a conversion shows the payout that was completed, and none once its money came back', () => {
  const history = historyFrom(
    ['conversion.created', { conversion_id: 'conv_1' }],
    commission,
    ...made('pay_1', 1, [1, 1]),
    marked('pay_1', 1, 'completed'),
    shown('pay_1'),
    marked('pay_1', 1, 'failed'),
    shown(null),
  );
  expect(dueTrail(history)).toEqual(new Map([['conv_1', ['pay_1', null]]]));
  expect(writtenTrail(history)).toEqual(dueTrail(history));
});

it.each([
  ['failed before it was completed', [commission, ...made('pay_1', 1, [1, 1])], 'failed'],
  [
    'has nothing left of the conversion',
    [commission, posted(2, 'reversal', -100), ...made('pay_1', 1, [1, 2])],
    'completed',
  ],
  [
    'has only a correction of it',
    [posted(1, 'correction', 5), ...made('pay_1', 1, [1, 1])],
    'completed',
  ],
] as const)('a payout that %s is not shown', (_how, events, status) => {
  expect(dueTrail(historyFrom(...events, marked('pay_1', 1, status)))).toEqual(new Map());
});

it('of two payouts, the later one stays, in whatever order they are completed', () => {
  const history = historyFrom(
    commission,
    ...made('pay_1', 1, [1, 1]),
    posted(2, 'commission', 50),
    ...made('pay_2', 2, [2, 2]),
    marked('pay_2', 2, 'completed'),
    marked('pay_1', 1, 'completed'),
    marked('pay_1', 1, 'failed'),
  );
  expect(dueTrail(history)).toEqual(new Map([['conv_1', ['pay_2']]]));
});
