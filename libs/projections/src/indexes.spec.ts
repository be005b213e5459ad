import {
  adjustmentList,
  affiliateList,
  comparisonsOf,
  conversionList,
  programList,
  type ListSpec,
} from '@refledger/contracts';
import { chooseIndex, type Filter, type Query } from '@refledger/read-store';
import * as fc from 'fast-check';
import {
  adjustmentsProjection,
  affiliatesProjection,
  apiKeysProjection,
  conversionsProjection,
  programsProjection,
  webhookEndpointsProjection,
  type Projection,
} from './index.js';

/** The fields that a request with every parameter filters by. */
const filtersOf = (list: ListSpec): readonly string[] =>
  comparisonsOf(
    list,
    Object.fromEntries(Object.keys(list.query.shape).map((parameter) => [parameter, 'x'])),
  ).map(([field]) => field);
const lists: readonly [Projection, readonly string[]][] = [
  [conversionsProjection, filtersOf(conversionList)],
  [affiliatesProjection, filtersOf(affiliateList)],
  [webhookEndpointsProjection, []],
  [programsProjection, filtersOf(programList)],
  [adjustmentsProjection, filtersOf(adjustmentList)],
  [apiKeysProjection, []],
];
const query = (fields: readonly string[], ranges: readonly Filter[]): Query => ({
  where: [
    { field: 'account_id', equals: 'acct_1' },
    ...fields.map((field) => ({ field, equals: 'x' })),
    ...ranges,
  ],
  order: { fields: ['created_at', 'id'], descending: true },
  limit: 25,
});

const indexFor = (
  projection: Projection,
  fields: readonly string[],
  ranges: readonly Filter[] = [],
) => chooseIndex(projection.collections[0]!, query(fields, ranges));

it.each(lists.map(([projection, filters]) => [projection.name, projection, filters] as const))(
  'an index serves every list of %s, with any filters; only a few rows are ever filtered one by one',
  (_, projection, filters) => {
    fc.assert(
      fc.property(fc.subarray([...filters]), fc.boolean(), (fields, range) => {
        const index = indexFor(
          projection,
          fields,
          range ? [{ field: 'created_at', after: '2026' }] : [],
        );

        const served = new Set(index?.fields);
        const isFew = served.has('email_key') || served.has('customer_id');
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
