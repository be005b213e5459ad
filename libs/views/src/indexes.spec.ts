import { chooseIndex, type Filter, type Query } from '@refledger/read-store';
import * as fc from 'fast-check';
import { affiliatesView, conversionsView, programsView, webhookEndpointsView, type View } from './index.js';

const lists: readonly [View, readonly string[]][] = [
  [conversionsView, ['affiliate_id', 'program_id', 'status', 'external_transaction_id', 'sale_currency']],
  [affiliatesView, ['program_id', 'status', 'email_key']],
  [webhookEndpointsView, ['listed']],
  [programsView, []],
];
const query = (fields: readonly string[], ranges: readonly Filter[]): Query => ({
  where: [{ field: 'account_id', equals: 'acct_1' }, ...fields.map((field) => ({ field, equals: 'x' })), ...ranges],
  order: { fields: ['created_at', 'id'], descending: true },
  limit: 25,
});

it.each(lists.map(([view, filters]) => [view.name, view, filters] as const))('every list of %s is served by an index, whatever its filters', (_, view, filters) => {
  fc.assert(
    fc.property(fc.subarray([...filters]), fc.boolean(), (fields, range) => {
      const index = chooseIndex(view.collections[0]!, query(fields, range ? [{ field: 'created_at', after: '2026' }] : []));

      expect(index?.fields.length).toBe(fields.length > 0 ? 4 : 3);
    }),
  );
});

it('takes the most selective filter', () => {
  const chosen = (...fields: string[]) => chooseIndex(conversionsView.collections[0]!, query(fields, []))?.fields[1];

  expect(chosen('status', 'affiliate_id')).toBe('affiliate_id');
  expect(chosen('affiliate_id', 'external_transaction_id')).toBe('external_transaction_id');
});
