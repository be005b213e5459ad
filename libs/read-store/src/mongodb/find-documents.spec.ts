import type { Query } from '../read-store.js';
import { findFilter, openFields, sortOf } from './find-documents.js';

const query: Query = {
  where: [
    { field: 'account_id', equals: 'a' },
    { field: 'created_at', after: 't1' },
  ],
  order: { fields: ['created_at', 'id'], descending: true },
  limit: 5,
};

it('has the conditions of the query, and matches only live documents', () => {
  expect(findFilter(query, new Map())).toEqual({
    $and: [{ live: true }, { 'key.account_id': 'a' }, { 'key.created_at': { $gt: 't1' } }],
  });
  expect(sortOf(query)).toEqual({ 'key.created_at': -1, 'key.id': -1 });
});

it('continues after a cursor with branches that are each a range of the index', () => {
  const all = [{ live: true }, { 'key.account_id': 'a' }, { 'key.created_at': { $gt: 't1' } }];
  expect(findFilter({ ...query, after: ['t5', 'x'] }, new Map())).toEqual({
    $or: [
      { $and: [...all, { 'key.created_at': { $lt: 't5' } }] },
      { $and: [...all, { 'key.created_at': 't5' }, { 'key.id': { $lt: 'x' } }] },
    ],
  });
  expect(() => findFilter({ ...query, after: ['t5'] }, new Map())).toThrow(TypeError);
});

it('fills in all values of the low-cardinality fields that the query leaves open', () => {
  const index = {
    fields: ['account_id', 'status', 'paid', 'created_at', 'id'],
    lowCardinality: ['status', 'paid'],
  };
  expect(
    openFields(index, { ...query, where: [...query.where, { field: 'paid', equals: true }] }),
  ).toEqual(['status']);
  expect(findFilter(query, new Map([['status', ['x', null]]]))).toMatchObject({
    $and: [{ live: true }, { 'key.status': { $in: ['x', null] } }, {}, {}],
  });
});
