import type { BalanceId, StatementLine } from '@refledger/contracts';
import type { BalanceReader, ChapterRange } from '@refledger/balances';
import type { StatementRange } from '@refledger/projections';
import type { ThrottledReads } from '@refledger/application';
import { chapterRevisionOf, type ChapterRevision } from '@refledger/domain';
import { statementLineOf } from './statement-lines.js';

export interface PageRequest {
  readonly size: number;
  /** The event of the last line of the page before it. */
  readonly after: ChapterRevision | undefined;
}

/** One page of the lines of a statement. */
export interface StatementPage {
  readonly lines: readonly StatementLine[];
  /** The event of the last line, if others follow it. */
  readonly last: ChapterRevision | undefined;
}

export interface StatementPageParts {
  readonly reader: Pick<BalanceReader, 'eventsBetween'>;
  readonly throttledReads: Pick<ThrottledReads, 'batches'>;
}

/**
 * Reads one page of the lines in a part of a balance, in the order in which they were posted.
 * Nearly every event is a line, so one read of the size of the page usually finds them.
 */
export const statementPage = async (
  { reader, throttledReads }: StatementPageParts,
  balance: BalanceId,
  range: StatementRange | undefined,
  { size, after }: PageRequest,
): Promise<StatementPage> => {
  const lines: StatementLine[] = [];
  if (range === undefined) return { lines, last: undefined };
  const rest = { ...range, first: firstAfter(range, after) };
  for await (const events of throttledReads.batches(reader.eventsBetween(balance, rest, size)))
    for (const event of events) {
      const line = statementLineOf(event, range.month);
      if (line === undefined) continue;
      lines.push(line);
      if (lines.length < size) continue;
      const last = chapterRevisionOf(event);
      return { lines, last: isBefore(last, range.last) ? last : undefined };
    }
  return { lines, last: undefined };
};

/** The first event that may be on the page; never one before the part, whatever the cursor says. */
const firstAfter = (
  { first }: ChapterRange,
  after: ChapterRevision | undefined,
): ChapterRevision =>
  after === undefined || isBefore(after, first)
    ? first
    : { chapter: after.chapter, revision: after.revision + 1 };

const isBefore = (a: ChapterRevision, b: ChapterRevision): boolean =>
  a.chapter < b.chapter || (a.chapter === b.chapter && a.revision < b.revision);
