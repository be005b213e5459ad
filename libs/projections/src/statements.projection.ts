import {
  accountOf,
  type AccountId,
  type BalanceEvent,
  type BalanceId,
  type RecordedEvent,
} from '@refledger/contracts';
import { chapterRevisionOf, type ChapterRevision } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { plus } from './figures.js';
import { projectionOf } from './projection.js';
import { isFirstEntry, lineOf, monthOf, type StatementSum } from './statement-lines.js';

/**
 * The changes of each balance in each month, by `posted_at`. A month in which nothing was posted
 * has no document. What was owed before a month follows from the documents of the earlier months: a
 * document holds only what its own events say, so it is exact whatever else is stored.
 */
export const statementsProjection = projectionOf<'balance', StatementDocument>(['balance'], {
  name: 'statements',
  version: 2,
  collections: [{ name: 'months', indexes: [{ fields: ['balance_id', 'month'] }] }],
  keysOf: (event) => {
    const month = monthOf(event);
    if (month === undefined) return [];
    const id = `${event.data.balance_id}@${month}`;
    return [{ collection: 'months', id, begins: isFirstEntry(event) }];
  },
  evolve: (document, event) => {
    const month = monthOf(event);
    return month === undefined
      ? undefined
      : documentAfter(document ?? emptyMonth(event, month), event);
  },
});

/** A month of a balance. Sums are decimal strings, because they may exceed 2^53. */
export interface StatementDocument extends Document, Readonly<Record<StatementSum, string>> {
  readonly account_id: AccountId;
  readonly balance_id: BalanceId;
  /** `2026-10` */
  readonly month: string;
  /**
   * The events of its first and last lines in the stream; null if it has none. Lines of other
   * months may be in between, if an operator has corrected log time.
   */
  readonly first: ChapterRevision | null;
  readonly last: ChapterRevision | null;
  /** The hash chain after its last event in the stream that has a `posted_at`, and that event. */
  readonly chain: string;
  readonly chained: ChapterRevision;
}

const emptyMonth = (event: RecordedEvent<BalanceEvent>, month: string): StatementDocument => ({
  account_id: accountOf(event),
  balance_id: event.data.balance_id,
  month,
  commission: '0',
  correction: '0',
  reversal: '0',
  adjustment: '0',
  paid: '0',
  returned: '0',
  first: null,
  last: null,
  chain: '',
  chained: chapterRevisionOf(event),
});

const documentAfter = (
  document: StatementDocument,
  event: RecordedEvent<BalanceEvent>,
): StatementDocument => {
  const { chain } = 'chain' in event.data ? event.data : document;
  const line = lineOf(event);
  const last = chapterRevisionOf(event);
  if (line === undefined) return { ...document, chain, chained: last };
  return {
    ...document,
    [line.sum]: plus(document[line.sum], line.amount),
    first: document.first ?? last,
    last,
    chain,
    chained: last,
  };
};
