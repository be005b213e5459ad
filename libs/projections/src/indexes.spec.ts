import {
  adjustmentList,
  affiliateList,
  apiKeyList,
  balanceList,
  comparisonsOf,
  conversionList,
  entryList,
  entryListByTime,
  payoutList,
  programList,
  type ListSpec,
} from '@refledger/contracts';
import { chooseIndex, type Filter, type Query } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import * as fc from 'fast-check';
import {
  adjustmentsProjection,
  affiliatesProjection,
  apiKeysProjection,
  balancesProjection,
  conversionsProjection,
  entriesProjection,
  payoutsProjection,
  payoutRangesProjection,
  programsProjection,
  webhookEndpointsProjection,
  type Projection,
} from './index.js';
import { statementTotalsProjection } from './statement-totals.projection.js';
import { statementsProjection } from './statements.projection.js';

/** The fields that a request with every parameter filters by. */
const filtersOf = (list: ListSpec): readonly string[] =>
  comparisonsOf(
    list,
    Object.fromEntries(Object.keys(list.query.shape).map((parameter) => [parameter, 'x'])),
  ).map(([field]) => field);
/** Each value of these fields matches only a few records, so other filters may check each one. */
const few = {
  conversions: ['customer_id'],
  affiliates: ['email_hash'],
  balances: ['affiliate_id'],
  entries: ['conversion_id', 'adjustment_id'],
};
const byCreation = ['created_at', 'id'];
const lists: readonly {
  readonly projection: Projection;
  readonly filters: readonly string[];
  readonly few?: readonly string[];
  readonly order?: readonly string[];
}[] = [
  {
    projection: conversionsProjection,
    filters: filtersOf(conversionList),
    few: few.conversions,
  },
  { projection: affiliatesProjection, filters: filtersOf(affiliateList), few: few.affiliates },
  { projection: webhookEndpointsProjection, filters: [] },
  { projection: programsProjection, filters: filtersOf(programList) },
  { projection: adjustmentsProjection, filters: filtersOf(adjustmentList) },
  { projection: payoutsProjection, filters: filtersOf(payoutList) },
  {
    projection: payoutsProjection,
    filters: filtersOf(payoutList),
    order: ['completed_at', 'id'],
  },
  { projection: apiKeysProjection, filters: filtersOf(apiKeyList) },
  { projection: apiKeysProjection, filters: [], order: ['expires_at', 'id'] },
  { projection: balancesProjection, filters: filtersOf(balanceList), few: few.balances },
  {
    projection: entriesProjection,
    filters: filtersOf(entryList),
    few: few.entries,
    order: entryList.order,
  },
  {
    projection: entriesProjection,
    filters: filtersOf(entryListByTime),
    few: few.entries,
    order: entryListByTime.order,
  },
];
const query = (
  fields: readonly string[],
  ranges: readonly Filter[],
  order: readonly string[],
): Query => ({
  where: [
    { field: 'account_id', equals: 'acct_1' },
    ...fields.map((field) => ({ field, equals: 'x' })),
    ...ranges,
  ],
  order: { fields: order, descending: true },
  limit: 25,
});

const indexFor = (
  projection: Projection,
  fields: readonly string[],
  ranges: readonly Filter[] = [],
  order: readonly string[] = byCreation,
) => chooseIndex(present(projection.collections[0]), query(fields, ranges, order));

it.each(lists)(
  'an index serves every list of $projection.name, with any filters; only a few rows are ever filtered one by one',
  ({ projection, filters, few = [], order = byCreation }) => {
    fc.assert(
      fc.property(fc.subarray([...filters]), fc.boolean(), (fields, range) => {
        const [first = ''] = order;
        const ranges = range ? [{ field: first, after: '2026' }] : [];
        const index = indexFor(projection, fields, ranges, order);

        const served = new Set(index?.fields);
        const isFew = few.some((field) => served.has(field));
        expect(fields.filter((field) => !served.has(field) && !isFew)).toEqual([]);
      }),
    );
  },
);

it('chooses the most selective filter', () => {
  const chosen = (...fields: string[]) =>
    indexFor(conversionsProjection, fields)?.fields.slice(1, -2);

  expect(chosen('status', 'affiliate_id')).toEqual([
    'affiliate_id',
    'program_id',
    'status',
    'sale_currency',
  ]);
  expect(chosen('affiliate_id')).toEqual(['affiliate_id']);
  expect(chosen('status', 'customer_id')).toEqual(['customer_id']);
  expect(chosen('customer_id', 'program_id', 'affiliate_id')).toEqual([
    'customer_id',
    'affiliate_id',
  ]);
  expect(chosen('payout_id')).toEqual(['payout_id']);
  expect(chosen('payout_id', 'affiliate_id', 'status')).toEqual([
    'payout_id',
    'affiliate_id',
    'program_id',
    'status',
    'sale_currency',
  ]);
  expect(chosen('payout_id', 'customer_id')).toEqual(['customer_id']);
});

it.each([
  [entriesProjection, 'number'],
  [payoutRangesProjection, 'from'],
])('finds numbers of one bucket in $name', (projection, number) => {
  const index = chooseIndex(present(projection.collections[0]), {
    where: [
      { field: 'balance_id', equals: 'bal_1' },
      { field: 'payable_on', equals: '2026-01-31' },
      { field: number, before: 4 },
    ],
    order: { fields: [number], descending: true },
    limit: 1,
  });
  expect(index?.fields).toEqual(['balance_id', 'payable_on', number]);
});

it.each([
  [statementsProjection, 'balance_id', ['month']],
  [statementTotalsProjection, 'account_id', ['month', 'currency']],
])('finds all months up to one in $name', (projection, owner, order) => {
  const index = chooseIndex(present(projection.collections[0]), {
    where: [
      { field: owner, equals: 'x' },
      { field: 'month', before: '2026-11' },
    ],
    order: { fields: order, descending: false },
    limit: 1_000,
  });
  expect(index?.fields).toEqual([owner, ...order]);
});
