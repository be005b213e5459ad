import { present } from '@refledger/testing/present';
import { chooseIndex } from './choose-index.js';
import type { CollectionSpec } from './read-store.js';

const order = { fields: ['at', 'id'], descending: true };
const rows: CollectionSpec = {
  name: 'rows',
  indexes: [['ext'], ['who', 'state', 'money'], ['who'], ['state', 'money'], []].map((fields) => ({
    fields: ['account', ...fields, 'at', 'id'],
    lowCardinality: fields.filter((field) => field === 'state' || field === 'money'),
  })),
};
const chosen = (...filters: string[]) =>
  chooseIndex(rows, {
    where: ['account', ...filters].map((field) => ({ field, equals: 'x' })),
    order,
    limit: 1,
  })?.fields.slice(1, -2);

it.each([
  [[], []],
  [['ext'], ['ext']],
  [['ext', 'who', 'state', 'money'], ['ext']],
  [['who'], ['who']],
  [
    ['who', 'state'],
    ['who', 'state', 'money'],
  ],
  [
    ['who', 'money'],
    ['who', 'state', 'money'],
  ],
  [['state'], ['state', 'money']],
  [['money'], ['state', 'money']],
])('the index of %j serves a list filtered by %j', (filters, index) => {
  expect(chosen(...filters)).toEqual(index);
});

it('prefers an index with unfiltered low-cardinality fields over one with fewer filters', () => {
  const [lowCardinality] = rows.indexes.slice(1, 2);
  expect(
    chooseIndex(
      { ...rows, indexes: [{ fields: ['account', 'at', 'id'] }, present(lowCardinality)] },
      {
        where: [
          { field: 'account', equals: 'x' },
          { field: 'who', equals: 'x' },
        ],
        order,
        limit: 1,
      },
    ),
  ).toBe(lowCardinality);
});

it('uses an index with sparse fields only for queries that filter each of them by a value', () => {
  const plain = { fields: ['account', 'at', 'id'] };
  const sparse = { fields: ['account', 'ext', 'at', 'id'], sparse: ['ext'] };
  const servedBy = (ext?: string | null) =>
    chooseIndex(
      { name: 'rows', indexes: [sparse, plain] },
      {
        where: [
          { field: 'account', equals: 'x' },
          ...(ext === undefined ? [] : [{ field: 'ext', equals: ext }]),
        ],
        order,
        limit: 1,
      },
    );
  expect(servedBy('x')).toBe(sparse);
  expect(servedBy('')).toBe(sparse);
  expect(servedBy(null)).toBe(plain);
  expect(servedBy()).toBe(plain);
});

it('has no index for another order, or without the leading filter', () => {
  expect(
    chooseIndex(rows, {
      where: [{ field: 'account', equals: 'x' }],
      order: { fields: ['id', 'at'], descending: true },
      limit: 1,
    }),
  ).toBeUndefined();
  expect(chooseIndex(rows, { where: [], order, limit: 1 })).toBeUndefined();
});
