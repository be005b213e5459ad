import { chainStart } from '@refledger/domain';
import { documentsOf, record } from '../test/history.js';
import { balanceAbout, LedgerWriter } from '../test/ledger.js';
import { statementFigures } from './statement-figures.js';
import { StatementTotals } from './statement-totals.js';
import {
  statementTotalsProjection,
  type StatementTotalsDocument,
} from './statement-totals.projection.js';
import { statementsProjection, type StatementDocument } from './statements.projection.js';

const about = balanceAbout(1);
const october = '2026-10-31T23:59:59.999Z';
const november = '2026-11-01T00:00:00.000Z';
const january = '2027-01-15T12:00:00.000Z';

const monthsOf = (...writers: readonly LedgerWriter[]): readonly StatementDocument[] => {
  const events = record(writers.flatMap(({ happened }) => happened));
  return [...documentsOf(statementsProjection, events).values()] as StatementDocument[];
};
const totalsOf = (month: string, ...writers: readonly LedgerWriter[]) => {
  const events = record(writers.flatMap(({ happened }) => happened));
  const documents = [...documentsOf(statementTotalsProjection, events).values()];
  const totals = new StatementTotals(month);
  for (const document of documents as StatementTotalsDocument[])
    if (document.month <= month) totals.add(document);
  return totals.rows();
};
const statementOf = (month: string, writer: LedgerWriter) =>
  statementFigures(
    about.balance_id,
    month,
    monthsOf(writer).filter((document) => document.month <= month),
  );
const none = {
  commission: 0n,
  correction: 0n,
  reversal: 0n,
  adjustment: 0n,
  paid: 0n,
  returned: 0n,
};

it('adds up what each event type changed in a month', () => {
  const ledger = new LedgerWriter(about)
    .entry(october, 'commission', 4_000)
    .entry(october, 'commission', 5_000)
    .entry(october, 'correction', -1_000)
    .entry(october, 'reversal', -500)
    .entry(october, 'adjustment', 70)
    .entry(october, 'adjustment_void', -30)
    .reserved('6000')
    .settled(october, '6000')
    .released(october, '100', 'paid');
  expect(monthsOf(ledger)).toEqual([
    {
      account_id: 'acct_1',
      balance_id: about.balance_id,
      month: '2026-10',
      commission: '9000',
      correction: '-1000',
      reversal: '-500',
      adjustment: '40',
      paid: '-6000',
      returned: '100',
      first: { chapter: 0, revision: 1 },
      last: { chapter: 0, revision: 9 },
      chain: `chain 9 of ${about.balance_id}`,
      chained: { chapter: 0, revision: 9 },
    },
  ]);
  expect(statementOf('2026-10', ledger)).toMatchObject({ opening: 0n, closing: 1_640n });
});

it('puts each event into the month of its posted_at, and opens with what was owed before', () => {
  const ledger = new LedgerWriter(about)
    .entry(october, 'commission', 4_000)
    .nextChapter()
    .entry(november, 'commission', 300)
    .entry(january, 'reversal', -4_000);
  expect(statementOf('2026-11', ledger)).toEqual({
    ...none,
    opening: 4_000n,
    commission: 300n,
    closing: 4_300n,
    chain: `chain 4 of ${about.balance_id}`,
    lines: {
      month: '2026-11',
      first: { chapter: 1, revision: 1 },
      last: { chapter: 1, revision: 1 },
    },
  });
  expect(statementOf('2027-01', ledger)).toMatchObject({ opening: 4_300n, closing: 300n });
});

it('keeps what was owed, and the chain, in a month in which nothing is posted', () => {
  const ledger = new LedgerWriter(about).entry(october, 'commission', 7);
  expect(statementOf('2026-12', ledger)).toEqual({
    ...none,
    opening: 7n,
    closing: 7n,
    chain: `chain 1 of ${about.balance_id}`,
    lines: undefined,
  });
});

it('has zeros and the start of the chain before the first entry', () => {
  const ledger = new LedgerWriter(about).entry(october, 'commission', 7);
  const chain = chainStart(about.balance_id);
  const nothing = { ...none, opening: 0n, closing: 0n, chain, lines: undefined };
  expect(statementOf('2026-09', ledger)).toEqual(nothing);
});

it('has the chain of a payout that was canceled, but no line for it', () => {
  const ledger = new LedgerWriter(about)
    .entry(october, 'commission', 7)
    .reserved('7')
    .released(november, '7', 'open');
  expect(statementOf('2026-11', ledger)).toEqual({
    ...none,
    opening: 7n,
    closing: 7n,
    chain: `chain 3 of ${about.balance_id}`,
    lines: undefined,
  });
  expect(totalsOf('2026-11', ledger)).toMatchObject([{ opening: 7n, paid: 0n, closing: 7n }]);
});

it('keeps the chain of a month to which only a reservation was added', () => {
  const ledger = new LedgerWriter(about).entry(october, 'commission', 7);
  const { chain } = statementOf('2026-10', ledger);
  expect(statementOf('2026-10', ledger.reserved('7')).chain).toBe(chain);
});

it('is exact beyond 2^53', () => {
  const paid = String(2n ** 60n);
  const ledger = new LedgerWriter(about)
    .entry(october, 'commission', 1)
    .settled(october, paid)
    .settled(october, paid);
  expect(statementOf('2026-10', ledger).paid).toBe(-(2n ** 61n));
  expect(totalsOf('2026-10', ledger)).toMatchObject([{ paid: -(2n ** 61n) }]);
});

it('adds up an account by currency, with the balances that have an entry by then', () => {
  const ledgers = [
    new LedgerWriter(about).entry(october, 'commission', 10).entry(november, 'adjustment', 5),
    new LedgerWriter(balanceAbout(2)).entry(november, 'commission', 100).settled(november, '100'),
    new LedgerWriter(balanceAbout(3, 'EUR')).entry(january, 'commission', 1),
  ];
  const nothing = { earned: 0n, adjusted: 0n, paid: 0n };
  const usd = { ...nothing, currency: 'USD', opening: 10n, closing: 15n, balances: 2 };
  expect(totalsOf('2026-09', ...ledgers)).toEqual([]);
  expect(totalsOf('2026-11', ...ledgers)).toEqual([
    { ...usd, earned: 100n, adjusted: 5n, paid: -100n },
  ]);
  expect(totalsOf('2027-01', ...ledgers)).toEqual([
    { ...nothing, currency: 'EUR', opening: 0n, earned: 1n, closing: 1n, balances: 1 },
    { ...usd, opening: 15n },
  ]);
});

it('starts a document only with the first entry of a balance', () => {
  const events = record(
    new LedgerWriter(about)
      .entry(october, 'commission', 1)
      .entry(october, 'commission', 1)
      .settled(october, '1').happened,
  );
  const begins = events.flatMap((event) =>
    statementsProjection.keysOf(event).map((key) => key.begins),
  );
  expect(begins).toEqual([true, false, false]);
});
