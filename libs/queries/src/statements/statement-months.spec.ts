import type { Position } from '@refledger/contracts';
import type { Document, ReadResult, ProjectionSpec, Query } from '@refledger/read-store';
import { monthsOfAccount } from './statement-months.js';
import { periodOf } from './statement-period.js';

it('reads every month and currency of an account up to the end of a month', async () => {
  const documents: Document[] = Array.from({ length: 2_001 }, (_, n) => ({
    account_id: 'acct_1',
    month: `month ${String(Math.floor(n / 7)).padStart(3, '0')}`,
    currency: `currency ${n % 7}`,
  }));
  const keyOf = ({ month, currency }: Document): string => `${String(month)} ${String(currency)}`;
  const queries: Query[] = [];
  const find = (_: ProjectionSpec, query: Query): Promise<ReadResult<readonly Document[]>> => {
    queries.push(query);
    const after = query.after?.join(' ') ?? '';
    const value = documents.filter((document) => keyOf(document) > after).slice(0, query.limit);
    return Promise.resolve({ value, position: String(10 - queries.length) as Position });
  };
  const period = periodOf('2026-12', '2027-01-01T00:00:00.000Z');

  const { value, position } = await monthsOfAccount({ find }, 'acct_1', period);
  expect(value).toEqual(documents);
  // what all three queries reflect
  expect(position).toBe('7');
  expect(queries.map(({ where }) => where)).toEqual(
    Array.from({ length: 3 }, () => [
      { field: 'account_id', equals: 'acct_1' },
      { field: 'month', before: '2027-01' },
    ]),
  );
});
