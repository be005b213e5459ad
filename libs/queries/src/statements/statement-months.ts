import {
  statementsProjection,
  statementTotalsProjection,
  type StatementDocument,
  type StatementTotalsDocument,
} from '@refledger/projections';
import type { Document, ReadResult, ProjectionSpec } from '@refledger/read-store';
import { reflectedByAll, type MoneyReads } from '../money-reads.js';
import type { StatementPeriod } from './statement-period.js';

type Money = Pick<MoneyReads, 'find'>;

/** The months of a balance in which something was posted, up to the end of a period. */
export const monthsOfBalance = async (
  money: Money,
  balance_id: string,
  period: StatementPeriod,
): Promise<ReadResult<readonly StatementDocument[]>> => {
  const where = { field: 'balance_id', equals: balance_id };
  const found = await monthsUpTo(money, statementsProjection, { where, period, order: ['month'] });
  // a decoding boundary: the projection wrote these documents
  return { ...found, value: found.value as readonly StatementDocument[] };
};

/** The months of an account and their currencies, up to the end of a period. */
export const monthsOfAccount = async (
  money: Money,
  account_id: string,
  period: StatementPeriod,
): Promise<ReadResult<readonly StatementTotalsDocument[]>> => {
  const where = { field: 'account_id', equals: account_id };
  const order = ['month', 'currency'];
  const found = await monthsUpTo(money, statementTotalsProjection, { where, period, order });
  // the same
  return { ...found, value: found.value as readonly StatementTotalsDocument[] };
};

interface Months {
  readonly where: { readonly field: string; readonly equals: string };
  readonly period: StatementPeriod;
  /** The fields that order the documents of an owner, beginning with the month. */
  readonly order: readonly string[];
}

/** Reads all of them: an owner has at most one document per month and currency. */
const monthsUpTo = async (
  money: Money,
  projection: ProjectionSpec,
  { where, period, order: fields }: Months,
): Promise<ReadResult<readonly Document[]>> => {
  const pages: ReadResult<readonly Document[]>[] = [];
  let last: Document | undefined;
  do {
    const page = await money.find(projection, {
      where: [where, { field: 'month', before: period.to.slice(0, period.month.length) }],
      order: { fields, descending: false },
      ...(last !== undefined && { after: valuesOf(last, fields) }),
      limit: pageSize,
    });
    pages.push(page);
    last = page.value.length === pageSize ? page.value.at(-1) : undefined;
  } while (last !== undefined);
  return { value: pages.flatMap(({ value }) => value), position: reflectedByAll(pages) };
};

const pageSize = 1_000;

const valuesOf = (document: Document, fields: readonly string[]): readonly string[] =>
  fields.map((field) => String(document[field]));
