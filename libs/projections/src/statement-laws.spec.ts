import type { BalanceEvent, BalanceId, EntryKind, RecordedEvent } from '@refledger/contracts';
import { chainStart } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import * as fc from 'fast-check';
import { documentsOf, record } from '../test/history.js';
import { balanceAbout, LedgerWriter } from '../test/ledger.js';
import { statementFigures } from './statement-figures.js';
import { StatementTotals } from './statement-totals.js';
import {
  statementTotalsProjection,
  type StatementTotalsDocument,
} from './statement-totals.projection.js';
import { statementsProjection, type StatementDocument } from './statements.projection.js';

/** A step of a random ledger: what happens next, to which balance, and how many days later. */
interface Step {
  readonly balance: number;
  readonly days: number;
  readonly what: EntryKind | 'reserved' | 'settled' | 'returned' | 'canceled' | 'chapter';
  readonly amount: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  balance: fc.nat(3),
  // days fall when an operator has corrected log time
  days: fc.constantFrom(0, 0, 0, 0, 1, 20, 70, -40),
  what: fc.constantFrom<Step['what'][]>(
    'commission',
    'commission',
    'correction',
    'reversal',
    'adjustment',
    'adjustment_void',
    'reserved',
    'settled',
    'returned',
    'canceled',
    'chapter',
  ),
  amount: fc.oneof(fc.integer({ min: 1, max: 9_999 }), fc.constant(999_999_999_999)),
});

type Months = readonly string[];

const begin = Date.UTC(2026, 9, 1);
/** The months from the one before the first step to the one after the last step. */
const monthsOf = (steps: readonly Step[]): Months => {
  const [back, ahead] = [-1, 1].map((sign) =>
    Math.ceil(steps.reduce((sum, { days }) => sum + Math.max(0, sign * days), 0) / 28),
  );
  const first = 8 - (back ?? 0);
  return Array.from({ length: (back ?? 0) + (ahead ?? 0) + 3 }, (_, n) =>
    new Date(Date.UTC(2026, first + n)).toISOString().slice(0, 7),
  );
};

/** Writes the ledgers of four balances in two currencies. */
const ledgersOf = (steps: readonly Step[]): readonly LedgerWriter[] => {
  const writers = [0, 1, 2, 3].map(
    (n) => new LedgerWriter(balanceAbout(n, n === 0 ? 'EUR' : 'USD')),
  );
  let time = begin;
  for (const { balance, days, what, amount } of steps) {
    time += days * 86_400_000;
    const at = new Date(time).toISOString();
    const writer = present(writers[balance]);
    // a balance starts with an entry
    if (writer.happened.length === 1) writer.entry(at, 'commission', amount);
    else if (what === 'reserved') writer.reserved(`${amount}`);
    else if (what === 'settled') writer.settled(at, `${amount}`);
    else if (what === 'returned') writer.released(at, `${amount}`, 'paid');
    else if (what === 'canceled') writer.released(at, `${amount}`, 'open');
    else if (what === 'chapter') writer.nextChapter();
    else writer.entry(at, what, what === 'commission' ? amount : -amount);
  }
  return writers;
};

/** A line, as an accountant would read it from an event. */
interface Line {
  readonly month: string;
  readonly sum: string;
  readonly amount: bigint;
  readonly event: RecordedEvent;
}
const linesIn = (events: readonly RecordedEvent[]): readonly Line[] =>
  events.flatMap((event) => {
    const { type, data } = event as RecordedEvent<BalanceEvent>;
    const line = (sum: string, amount: bigint, at: string): Line[] => [
      { month: at.slice(0, 7), sum, amount, event },
    ];
    if (type === 'balance.posted')
      return line(data.kind.replace('_void', ''), BigInt(data.amount), data.posted_at);
    if (type === 'balance.settled') return line('paid', -BigInt(data.amount), data.posted_at);
    if (type === 'balance.released' && data.was === 'paid')
      return line('returned', BigInt(data.amount), data.posted_at);
    return [];
  });
const total = (lines: readonly Line[]): bigint =>
  lines.reduce((sum, { amount }) => sum + amount, 0n);

/** The statements of a balance in these months, as an accountant would write them. */
const expectedStatements = (id: BalanceId, events: readonly RecordedEvent[], months: Months) => {
  const lines = linesIn(events);
  let owed = 0n;
  return months.map((month) => {
    const own = lines.filter((line) => line.month === month);
    const sum = (name: string): bigint => total(own.filter((line) => line.sum === name));
    const opening = owed;
    owed += total(own);
    return {
      month,
      opening,
      commission: sum('commission'),
      correction: sum('correction'),
      reversal: sum('reversal'),
      adjustment: sum('adjustment'),
      paid: sum('paid'),
      returned: sum('returned'),
      closing: owed,
      chain: lastChain(events, month) ?? chainStart(id),
      lines: own.map(({ event }) => event),
    };
  });
};

it('L11: statements add up, continue each other, and have the lines that they name', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      for (const { about, happened } of ledgersOf(steps)) {
        const id = about.balance_id;
        const events = record(happened);
        const documents = [
          ...documentsOf(statementsProjection, events).values(),
        ] as StatementDocument[];
        const shown = monthsOf(steps).map((month) => {
          const upTo = documents.filter((document) => document.month <= month);
          const statement = statementFigures(id, month, upTo);
          return { month, ...statement, lines: between(events, statement.lines) };
        });
        expect(shown).toEqual(expectedStatements(id, events, monthsOf(steps)));
      }
    }),
  );
});

it('a summary is the sum of the statements, whatever the order in which balances are posted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledgers = ledgersOf(steps);
      const perBalance = ledgers.map(({ about, happened }) => ({
        currency: about.currency,
        lines: linesIn(record(happened)),
      }));
      // one balance after the other: no balance waits for the month of another
      const events = record(ledgers.flatMap(({ happened }) => happened));
      const documents = [
        ...documentsOf(statementTotalsProjection, events).values(),
      ] as StatementTotalsDocument[];
      for (const month of monthsOf(steps)) {
        const totals = new StatementTotals(month);
        for (const document of documents) if (document.month <= month) totals.add(document);
        const expected = ['EUR', 'USD'].flatMap((currency) => {
          const own = perBalance.filter((balance) => balance.currency === currency);
          const lines = own.flatMap((balance) => balance.lines);
          if (!lines.some((line) => line.month <= month)) return [];
          const begun = own.filter(({ lines: [first] }) => first && first.month <= month);
          const sum = (...names: readonly string[]): bigint =>
            total(lines.filter((line) => line.month === month && names.includes(line.sum)));
          return [
            {
              currency,
              opening: total(lines.filter((line) => line.month < month)),
              earned: sum('commission', 'correction', 'reversal'),
              adjusted: sum('adjustment'),
              paid: sum('paid', 'returned'),
              closing: total(lines.filter((line) => line.month <= month)),
              balances: begun.length,
            },
          ];
        });
        expect(totals.rows()).toEqual(expected);
      }
    }),
  );
});

/** The hash of the last event in the stream that was posted before the end of a month. */
const lastChain = (events: readonly RecordedEvent[], month: string): string | undefined =>
  events.flatMap(({ data }) => ('posted_at' in data && monthIn(data) <= month ? data : [])).at(-1)
    ?.chain;

const monthIn = ({ posted_at }: { readonly posted_at: string }): string => posted_at.slice(0, 7);

/** The lines in the part of the stream that a statement names. */
const between = (
  events: readonly RecordedEvent[],
  named: ReturnType<typeof statementFigures>['lines'],
): readonly RecordedEvent[] => {
  if (named === undefined) return [];
  const indexOf = ({ chapter, revision }: { chapter: number; revision: number }): number =>
    events.findIndex(
      (event) => event.stream.endsWith(`-${chapter}`) && event.revision === revision,
    );
  const lines = linesIn(events.slice(indexOf(named.first), indexOf(named.last) + 1));
  return lines.filter(({ month }) => month === named.month).map(({ event }) => event);
};
