import type { LoggedEvent } from '@refledger/event-log';
import { historyOf } from '../history.js';
import { requestIdOf, type Entry, type Intent } from '../ledger.js';
import { booksOf } from './books.js';

/** Keeps the books of these writes, each with the events that it made, by position. */
const run = (
  ...writes: readonly (Pick<Entry, 'seen'> &
    Pick<Intent, 'what' | 'body'> & {
      readonly events?: Readonly<
        Record<number, readonly [type: string, revision: number, data: object]>
      >;
    })[]
) => {
  const events = writes.flatMap(({ events: made = {} }, n) =>
    Object.entries(made).map(([position, [type, revision, data]]) => ({
      position,
      stream: 'refledger.conversion-conv_1',
      type,
      revision,
      data,
      metadata: { request_id: requestIdOf(n), recorded_at: '2026-01-31T09:30:00.000Z' },
    })),
  );
  events.sort((a, b) => Number(a.position) - Number(b.position));
  const entries = writes.map(({ seen, what, body = {} }, n): Entry => ({
    n,
    seen,
    intent: { what, method: 'POST', path: '/', body },
  }));
  return booksOf({ entries, history: historyOf(events as unknown as LoggedEvent[]) });
};

const program = (terms: object | null, approval = 'manual') => ({
  what: 'program.create' as const,
  seen: 0n,
  body: { id: 'prog_1', terms, affiliate_approval: approval, conversion_approval: approval },
});
const affiliate = {
  what: 'affiliate.create' as const,
  seen: 1n,
  body: { program_id: 'prog_1' },
  events: { 2: ['affiliate.created', 0, { affiliate_id: 'aff_1', program_id: 'prog_1' }] },
} as const;
const changedAffiliate = (body: object, seen: bigint, position: number) => ({
  what: 'affiliate.update' as const,
  seen,
  body: { ...body },
  events: { [position]: ['affiliate.updated', 1, { affiliate_id: 'aff_1' }] } as const,
});
const about = { conversion_id: 'conv_1', affiliate_id: 'aff_1', sale_currency: 'USD' };
const earning = (commission_amount: number, status = 'pending', why = 'applied') => ({
  ...about,
  after: {
    status,
    sale_amount: 1_000,
    refunded_amount: 0,
    commission_amount,
    commission: { why: commission_amount === 0 ? 'not_first' : why },
  },
});
const sale = (seen: bigint, position: number, commission: number, conversion_id = 'conv_1') => ({
  what: 'conversion.create' as const,
  seen,
  body: { affiliate_id: 'aff_1', sale_amount: 1_000, sale_currency: 'USD', customer_id: 'ada' },
  events: {
    [position]: ['conversion.created', 0, { ...earning(commission), conversion_id }],
  } as const,
});
const tenth = { type: 'percentage', rate_bps: 1_000 };
const fifth = { type: 'percentage', rate_bps: 2_000 };

it('a sale takes the terms of its program, or those of its affiliate', () => {
  const { sales, faults } = run(program(tenth), affiliate, sale(2n, 3, 100));
  expect(faults).toEqual([]);
  expect(sales.get('conv_1')).toMatchObject({ status: 'pending', commission: 100n });
  const own = [program(tenth), affiliate, changedAffiliate({ commission: fifth }, 2n, 3)] as const;
  expect(run(...own, sale(3n, 4, 200)).faults).toEqual([]);
  expect(run(...own, sale(3n, 4, 100)).faults).toEqual([
    expect.stringContaining('conv_1, revision 0: should be pending, 1000 less 0, earning 200'),
  ]);
});

it('terms that change while a sale is on its way may apply to it; then its later changes use them too', () => {
  const before = [
    program(tenth),
    affiliate,
    changedAffiliate({ commission: fifth }, 2n, 3),
  ] as const;
  const approval = (commission: number) => ({
    what: 'conversion.update' as const,
    seen: 4n,
    body: { status: 'approved', refunded_amount: 500 },
    events: {
      5: [
        'conversion.approved',
        1,
        {
          ...about,
          after: { ...earning(commission, 'approved').after, refunded_amount: 500 },
        },
      ],
    } as const,
  });
  for (const commission of [100, 200]) {
    expect(run(...before, sale(2n, 4, commission), approval(commission / 2)).faults).toEqual([]);
    expect(run(...before, sale(2n, 4, commission), approval(commission)).faults).toHaveLength(1);
  }
  expect(run(...before, sale(2n, 4, 150)).faults).toHaveLength(1);
});

it('of the sales to a customer, the one that is first in the log is the first sale', () => {
  const before = [program({ ...tenth, recurring: 'first' }), affiliate] as const;
  const [first, second] = [sale(2n, 3, 100), sale(2n, 4, 0, 'conv_2')];
  expect(run(...before, first, second).faults).toEqual([]);
  expect(run(...before, second, first).faults).toEqual([]);
  expect(run(...before, sale(2n, 3, 0), sale(2n, 4, 100, 'conv_2')).faults).toHaveLength(2);
  const { customer_id: _, ...body } = second.body;
  expect(run(...before, first, { ...second, body }).faults).toHaveLength(1);
});

it('a commission must have the right reason', () => {
  const capped = earning(100, 'pending', 'capped');
  const created = {
    ...sale(2n, 3, 100),
    events: { 3: ['conversion.created', 0, capped] } as const,
  };
  expect(run(program(tenth), affiliate, created).faults).toEqual([
    expect.stringContaining('earning 100 (applied), but is'),
  ]);
});

it('an affiliate that was suspended before the sale was sent cannot sell', () => {
  const suspended = changedAffiliate({ status: 'suspended' }, 2n, 3);
  expect(run(program(tenth), affiliate, suspended, sale(2n, 4, 100)).faults).toEqual([]);
  expect(run(program(tenth), affiliate, suspended, sale(3n, 4, 100)).faults).toEqual([
    'conv_1, revision 0: no request explains it, or its affiliate could not sell',
  ]);
});

it('a program that approves automatically approves at once, and no other does', () => {
  const created = sale(2n, 3, 100);
  const atOnce = {
    ...created,
    events: {
      ...created.events,
      4: ['conversion.approved', 1, earning(100, 'approved')] as const,
    },
  };
  expect(run(program(tenth, 'automatic'), affiliate, atOnce).faults).toEqual([]);
  expect(run(program(tenth, 'automatic'), affiliate, created).faults).toHaveLength(1);
  expect(run(program(tenth), affiliate, atOnce).faults).toHaveLength(1);
});
