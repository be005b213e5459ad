import {
  entrySchema,
  publicEventId,
  type BalanceEvent,
  type DomainEvent,
} from '@refledger/contracts';
import { chainStart, entryIdOf, firstOpening, type BalanceKey } from '@refledger/domain';
import { documentsOf, minute, record } from '../test/history.js';
import { balancesProjection, figuresFromDocument } from './balances.projection.js';
import type { BalanceDocument } from './balances.projection.js';
import { entriesProjection } from './entries.projection.js';

const about: BalanceKey = {
  balance_id: `bal_${'0'.repeat(26)}`,
  affiliate_id: 'aff_1',
  program_id: 'prog_spring',
  currency: 'USD',
};
type Posted = Extract<BalanceEvent, { type: 'balance.posted' }>;

const posted = (number: number, over: Partial<Posted['data']>): Posted => ({
  type: 'balance.posted',
  data: {
    ...about,
    number,
    kind: 'commission',
    amount: 4_000,
    payable_on: '2026-11-22',
    conversion_id: 'conv_1',
    adjustment_id: null,
    description: null,
    source: {
      log_id: 'log',
      position: '7',
      event_id: '00000000-0000-4000-8000-000000000001',
      stream: 'refledger.conversion-conv_1',
      revision: 1,
    },
    posted_at: '2026-10-31T23:59:59.999Z',
    chain: `chain ${number}`,
    ...over,
  },
});
const closed: BalanceEvent = {
  type: 'balance.closed',
  data: {
    ...about,
    state: {
      number: 1,
      payouts: 0,
      through: null,
      posted_at: null,
      chain: 'chain 1',
      in_flight: {},
      earned: '4000',
      adjusted: '0',
      paid: '0',
    },
  },
};
const opened: BalanceEvent = {
  type: 'balance.opened',
  data: { ...about, chapter: 1, state: closed.data.state, carried: 1 },
};
const carried: BalanceEvent = {
  type: 'balance.carried',
  data: {
    ...about,
    buckets: [{ payable_on: '2026-11-22', ranges: [{ from: 1, to: 1, amount: '4000', count: 1 }] }],
  },
};
const history = (events: readonly DomainEvent[]) =>
  record(events.map((event) => ({ stream: 'refledger.balance-b', event })));
const documentAfter = (...events: readonly DomainEvent[]): BalanceDocument =>
  documentsOf(balancesProjection, history([firstOpening(about), ...events])).get(
    about.balance_id,
  ) as BalanceDocument;

it('starts with a balance on which nothing is owed', () => {
  expect(documentAfter()).toEqual({
    account_id: 'acct_1',
    id: about.balance_id,
    affiliate_id: 'aff_1',
    program_id: 'prog_spring',
    currency: 'USD',
    is_open: false,
    earned: '0',
    adjusted: '0',
    in_payout: '0',
    paid: '0',
    open: {},
    ranges: {},
    open_payouts: 0,
    entries: 0,
    chain: chainStart(about.balance_id),
    created_at: minute(1),
    updated_at: minute(1),
  });
});

it('adds up entries by what caused them, and by day', () => {
  const document = documentAfter(
    posted(1, {}),
    posted(2, { amount: -500, kind: 'correction' }),
    posted(3, { payable_on: '2026-12-01', amount: 7, kind: 'adjustment' }),
    posted(4, { payable_on: '2026-11-30', amount: 9, kind: 'adjustment' }),
    posted(5, { payable_on: '2026-11-30', amount: -9, kind: 'adjustment_void' }),
  );
  expect(document).toMatchObject({
    is_open: true,
    earned: '3500',
    adjusted: '7',
    entries: 5,
    chain: 'chain 5',
    created_at: minute(1),
    updated_at: minute(6),
  });
  expect(figuresFromDocument(document).open).toEqual([
    ['2026-11-22', 3_500n],
    ['2026-12-01', 7n],
  ]);
});

it('is not open once nothing is owed, and is exact beyond 2^53', () => {
  const most = 999_999_999_999;
  const entries = Array.from({ length: 10_001 }, (_, n) => posted(n + 1, { amount: most }));
  const document = documentAfter(...entries);
  expect(figuresFromDocument(document)).toMatchObject({ earned: 10_001n * BigInt(most) });
  const reversed = documentAfter(posted(1, {}), posted(2, { amount: -4_000, kind: 'reversal' }));
  expect(reversed).toMatchObject({ is_open: false, open: {}, earned: '0', entries: 2 });
});

describe('a payout', () => {
  const buckets = [
    {
      payable_on: '2026-11-22',
      ranges: [
        { from: 1, to: 1, amount: '4000', count: 1 },
        { from: 3, to: 4, amount: '-1000', count: 2 },
      ],
    },
    { payable_on: '2026-11-23', ranges: [{ from: 2, to: 2, amount: '7', count: 1 }] },
  ];
  const entries = [
    posted(1, {}),
    posted(2, { payable_on: '2026-11-23', amount: 7 }),
    posted(3, { amount: -600, kind: 'correction' }),
    posted(4, { amount: -400, kind: 'correction' }),
  ];
  const amount = '3007';
  const reserved: BalanceEvent = {
    type: 'balance.reserved',
    data: {
      ...about,
      payout_id: 'pay_1',
      payout_number: 1,
      until: '2026-11-23',
      buckets,
      amount,
      entry_count: 4,
      append: { stream: 'refledger.payout-pay_1', expected_revision: null, events: [] },
      chain: 'chain reserved',
    },
  };
  const { source, posted_at } = posted(1, {}).data;
  const ended = { ...about, payout_id: 'pay_1', amount, source, posted_at } as const;
  const settled: BalanceEvent = {
    type: 'balance.settled',
    data: { ...ended, chain: 'chain settled' },
  };
  const released = (was: 'open' | 'paid'): BalanceEvent => ({
    type: 'balance.released',
    data: { ...ended, buckets, was, chain: 'chain released' },
  });

  it('takes open entries, and keeps the balance open', () => {
    expect(documentAfter(...entries, reserved)).toMatchObject({
      is_open: true,
      earned: '3007',
      in_payout: '3007',
      paid: '0',
      open: {},
      entries: 4,
      chain: 'chain reserved',
      updated_at: minute(6),
    });
  });

  it('leaves what it does not take, and what is posted later', () => {
    const document = documentAfter(
      ...entries,
      posted(5, { payable_on: '2026-11-24', amount: 1 }),
      reserved,
      posted(6, { amount: 2 }),
      posted(7, { payable_on: '2026-11-24', amount: -1, kind: 'reversal' }),
    );
    expect(document).toMatchObject({ is_open: true, in_payout: '3007', chain: 'chain 7' });
    expect(figuresFromDocument(document).open).toEqual([['2026-11-22', 2n]]);
  });

  it('stays open while something is in the payout, whatever is posted', () => {
    const [first, second] = [posted(5, { amount: 2 }), posted(6, { amount: -2 })];
    expect(documentAfter(...entries, reserved, first, second)).toMatchObject({
      is_open: true,
      open: {},
    });
  });

  it('is paid once it is settled', () => {
    expect(documentAfter(...entries, reserved, settled)).toMatchObject({
      is_open: false,
      in_payout: '0',
      paid: '3007',
      open: {},
      chain: 'chain settled',
    });
  });

  it.each([
    ['before', 'open', [reserved]],
    ['after', 'paid', [reserved, settled]],
  ] as const)('reopens its entries when it fails %s it is paid', (_, was, events) => {
    const document = documentAfter(...entries, ...events, released(was));
    expect(document).toEqual({
      ...documentAfter(...entries),
      // the next entry of a day must not extend a range that a payout took
      ranges: {
        '2026-11-22': { count: 1, last: null },
        '2026-11-23': { count: 1, last: null },
      },
      chain: 'chain released',
      updated_at: minute(6 + events.length),
    });
  });
});

it('is the same after the chapters change', () => {
  const before = documentAfter(posted(1, {}));
  const after = documentAfter(posted(1, {}), closed, opened, carried);
  expect(after).toEqual({ ...before, updated_at: minute(5) });
});

it('keeps each entry as the API shows it, under an id that follows from its number', () => {
  const events = history([
    firstOpening(about),
    posted(1, {}),
    posted(2, {
      kind: 'adjustment',
      conversion_id: null,
      adjustment_id: 'adj_1',
      description: 'x',
    }),
    closed,
    opened,
    carried,
  ]);
  const documents = documentsOf(entriesProjection, events);
  expect([...documents.keys()]).toEqual([1, 2].map((n) => entryIdOf(about.balance_id, n)));
  const [first, second] = [...documents.values()];
  expect(first).toEqual({
    account_id: 'acct_1',
    position: '00000000000000000002',
    record: {
      id: entryIdOf(about.balance_id, 1),
      object: 'entry',
      number: 1,
      balance_id: about.balance_id,
      affiliate_id: 'aff_1',
      program_id: 'prog_spring',
      currency: 'USD',
      kind: 'commission',
      amount: 4_000,
      payable_on: '2026-11-22',
      conversion_id: 'conv_1',
      adjustment_id: null,
      description: null,
      payout_id: null,
      caused_by: publicEventId('00000000-0000-4000-8000-000000000001'),
      posted_at: '2026-10-31T23:59:59.999Z',
      created_at: minute(2),
      position: '2',
    },
  });
  expect(Object.keys(first?.record ?? {})).toEqual(Object.keys(entrySchema.shape));
  expect(second?.record).toMatchObject({ adjustment_id: 'adj_1', description: 'x' });
});

it('touches an entry once', () => {
  const [, event] = history([firstOpening(about), posted(1, {})]);
  expect(event && entriesProjection.keysOf(event)).toEqual([
    {
      collection: 'entries',
      id: entryIdOf(about.balance_id, 1),
      begins: true,
      isFinal: true,
    },
  ]);
});
