import {
  accountOf,
  type AccountId,
  type BalanceEvent,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { plus } from './figures.js';
import { projectionOf } from './projection.js';
import { isFirstEntry, lineOf, monthOf, type StatementSum } from './statement-lines.js';

/**
 * The sums of all statements of an account, per currency and month, so that a summary costs the
 * same for any number of balances. The balances of an account are posted side by side, so a month
 * may still grow after the next one has started: no document holds what was owed before it.
 */
export const statementTotalsProjection = projectionOf<'balance', StatementTotalsDocument>(
  ['balance'],
  {
    name: 'statement_totals',
    version: 1,
    collections: [{ name: 'months', indexes: [{ fields: ['account_id', 'month', 'currency'] }] }],
    keysOf: (event) => {
      if (lineOf(event) === undefined) return [];
      const { currency } = event.data;
      return [{ collection: 'months', id: `${accountOf(event)}@${currency}@${monthOf(event)}` }];
    },
    evolve: (document, event) => {
      const [line, month] = [lineOf(event), monthOf(event)];
      if (line === undefined || month === undefined) return undefined;
      const before = document ?? emptyMonth(event, month);
      const total = totalOf[line.sum];
      return {
        ...before,
        [total]: plus(before[total], line.amount),
        balances: before.balances + (isFirstEntry(event) ? 1 : 0),
      };
    },
  },
);

type Total = 'earned' | 'adjusted' | 'paid';

/**
 * A month of an account in one currency. Sums are decimal strings, because they may exceed 2^53.
 */
export interface StatementTotalsDocument extends Document, Readonly<Record<Total, string>> {
  readonly account_id: AccountId;
  readonly currency: string;
  /** `2026-10` */
  readonly month: string;
  /** How many balances have their first entry in it. */
  readonly balances: number;
}

const totalOf: Readonly<Record<StatementSum, Total>> = {
  commission: 'earned',
  correction: 'earned',
  reversal: 'earned',
  adjustment: 'adjusted',
  paid: 'paid',
  returned: 'paid',
};

const emptyMonth = (
  event: RecordedEvent<BalanceEvent>,
  month: string,
): StatementTotalsDocument => ({
  account_id: accountOf(event),
  currency: event.data.currency,
  month,
  earned: '0',
  adjusted: '0',
  paid: '0',
  balances: 0,
});
