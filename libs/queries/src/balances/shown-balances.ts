import type { Reader } from '@refledger/application';
import {
  DomainError,
  type BalanceRecord,
  type Position,
  type SkipReason,
  validationError,
} from '@refledger/contracts';
import { balanceRecord } from '@refledger/domain';
import {
  balancesProjection,
  figuresFromDocument,
  type BalanceDocument,
} from '@refledger/projections';
import type { Document, ReadResult, Query } from '@refledger/read-store';
import { equals } from '../equals.js';
import { reflectedByAll, type MoneyReads } from '../money-reads.js';
import { payeesOf } from './payees.js';

/** Balances as the API shows them, and the position that they reflect. */
export interface ShownBalances {
  readonly records: readonly BalanceRecord[];
  readonly position: Position;
}

/** A balance as the API shows it, and the position that it reflects. */
export interface ShownBalance {
  readonly record: BalanceRecord;
  readonly position: Position;
}

/** The page of a list of balances that a request asks for. */
export interface BalanceList {
  /** Asks for one balance more than the page has, to tell whether others follow. */
  readonly query: Query;
  readonly days: ViewDays;
  /** Only balances that a payout run would not pay for this reason. */
  readonly reason?: SkipReason | undefined;
}

export interface BalancePage extends ShownBalances {
  /** The balance after which the next page begins; undefined if no other follows. */
  readonly last: BalanceRecord | undefined;
}

/** Shows balances of the read model. Throws `ledger_behind` if it is empty. */
export const showBalances = async (
  money: MoneyReads,
  { accountId }: Reader,
  { value: documents, position: found }: ReadResult<readonly BalanceDocument[]>,
  days: ViewDays,
): Promise<ShownBalances> => {
  const balances = documents.map((document) => ({
    document,
    figures: figuresFromDocument(document),
  }));
  const payees = await payeesOf(
    money,
    accountId,
    balances.map(({ figures }) => figures.about),
  );
  const all = documents.length === 0 ? [{ position: found }] : [{ position: found }, payees];
  const position = requirePosition(reflectedByAll(all));
  const records = balances.map(({ document, figures }) =>
    balanceRecord(figures, {
      ...days,
      position,
      createdAt: document.created_at,
      updatedAt: document.updated_at,
      payee: payees.getPayee(figures.about),
    }),
  );
  return { records, position };
};

/** The documents of balances that a query found. */
export const balanceDocuments = async (
  money: MoneyReads,
  query: Query,
): Promise<ReadResult<readonly BalanceDocument[]>> => {
  const { value, position } = await money.find(balancesProjection, query);
  // a decoding boundary: the projection wrote these documents
  return { value: value as readonly (Document & BalanceDocument)[], position };
};

/** The query for all balances of an affiliate. There are fewer currencies than the limit. */
export const balancesOfAffiliate = (account_id: string, affiliate_id: string): Query => ({
  where: equals({ account_id, affiliate_id }),
  order: { fields: ['created_at', 'id'], descending: false },
  limit: 1_000,
});

/** All balances of an affiliate, in the order in which the API shows them. */
export const byCurrency = (records: readonly BalanceRecord[]): readonly BalanceRecord[] =>
  [...records].sort((a, b) => (a.currency < b.currency ? -1 : 1));

/** A read model that reflects no position shows nothing. */
export const requirePosition = (position: Position | undefined): Position => {
  if (position !== undefined) return position;
  throw new DomainError('ledger_behind', 'The read model of balances is empty. Retry later.');
};

/** The days of a read of balances. */
export interface ViewDays {
  /** The day that decides whether a payout run would pay. */
  readonly today: string;
  /** The day that separates payable from held. */
  readonly on: string;
}

/** Returns the days that a request asks for. Throws `validation_failed` for `on` before today. */
export const viewDays = (on: string | undefined, today: string): ViewDays => {
  if (on !== undefined && on < today)
    throw validationError({
      path: 'on',
      code: 'too_small',
      message: `on is ${on}, but today is ${today} (UTC). Send today, a later day, or an earlier as_of.`,
    });
  return { today, on: on ?? today };
};
