import type { BalanceId } from '@refledger/contracts';
import { chainStart, type ChapterRevision } from '@refledger/domain';
import { statementSums, type StatementSum } from './statement-lines.js';
import type { StatementDocument } from './statements.projection.js';

/** The figures of a statement, in the minor unit of the currency. */
export interface StatementFigures extends Readonly<Record<StatementSum, bigint>> {
  /** The amount owed at the start of the month, and at its end. */
  readonly opening: bigint;
  readonly closing: bigint;
  readonly chain: string;
  /** Where its lines are; undefined if it has none. */
  readonly lines: StatementRange | undefined;
}

/** The part of a balance that has the lines of a statement, and maybe lines of other months. */
export interface StatementRange {
  /** `2026-10`: the month of its lines. */
  readonly month: string;
  readonly first: ChapterRevision;
  readonly last: ChapterRevision;
}

/** Returns the statement of a month, from the documents of all months of the balance up to it. */
export const statementFigures = (
  balance: BalanceId,
  month: string,
  documents: readonly StatementDocument[],
): StatementFigures => {
  const own = documents.find((document) => document.month === month);
  const closing = documents.reduce((owed, document) => owed + changeIn(document), 0n);
  const sum = (name: StatementSum): bigint => BigInt(own?.[name] ?? 0);
  const { first, last } = own ?? { first: null, last: null };
  return {
    opening: closing - (own === undefined ? 0n : changeIn(own)),
    commission: sum('commission'),
    correction: sum('correction'),
    reversal: sum('reversal'),
    adjustment: sum('adjustment'),
    paid: sum('paid'),
    returned: sum('returned'),
    closing,
    chain: lastChainOf(documents) ?? chainStart(balance),
    lines: first === null || last === null ? undefined : { month, first, last },
  };
};

const changeIn = (document: StatementDocument): bigint =>
  statementSums.reduce((change, sum) => change + BigInt(document[sum]), 0n);

/** The hash of the event that is last in the stream: a later month may have come before it. */
const lastChainOf = (documents: readonly StatementDocument[]): string | undefined => {
  const [first, ...others] = documents;
  if (first === undefined) return undefined;
  return others.reduce(
    (last, document) => (isBefore(last.chained, document.chained) ? document : last),
    first,
  ).chain;
};

const isBefore = (a: ChapterRevision, b: ChapterRevision): boolean =>
  a.chapter < b.chapter || (a.chapter === b.chapter && a.revision < b.revision);
