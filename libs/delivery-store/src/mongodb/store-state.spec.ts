import type { Collection } from 'mongodb';
import { StoreState, type StateDocument } from './store-state.js';

/** Test double: a collection with these methods only. It stores nothing. */
const collection = (methods: object) => methods as unknown as Collection<StateDocument>;

const holding = (document: object) =>
  collection({
    findOne: () => Promise.resolve(document),
    updateOne: () => Promise.resolve({ matchedCount: 1 }),
  });

it.each([
  ['an earlier format', { offsets: [] }],
  ['format 5', { offsets: [], format: 5 }],
])('rejects a store that has %s, and says what to do', async (named, state) => {
  const other = holding({ _id: 'state', store_id: 'store-1', ...state });
  await expect(new StoreState(other).id()).rejects.toMatchObject({
    name: 'DeliveryStoreError',
    kind: 'unusable',
    message: `this delivery store has ${named}, but this version reads format 6. Use the version that created it, or start with an empty log and an empty database.`,
  });
});

it('opens a store in this format', async () => {
  const present = holding({ _id: 'state', format: 6, store_id: 'store-1', offsets: [] });
  expect(await new StoreState(present).id()).toBe('store-1');
});

it('raises the offsets of many partitions in few requests', async () => {
  const requests: number[] = [];
  const states = collection({
    bulkWrite: (operations: readonly unknown[]) => {
      requests.push(operations.length);
      return Promise.resolve({ matchedCount: operations.length });
    },
  });
  const state = new StoreState(states);
  const partitions = Array.from({ length: 60 }, (_, n) => `refledger.conversions/${n}`);
  await Promise.all(
    partitions.map((partition) => state.raise({ partition, source: 's', offset: '7' }, undefined)),
  );
  expect(requests).toEqual([1, 59]);
});

it('tells a foreign offset from the others that it is raised with', async () => {
  const own = { partition: 'p/1', source: 's', offset: 7n, mark: null };
  const foreign = { ...own, partition: 'p/2', source: 'another' };
  const states = collection({
    bulkWrite: () => Promise.resolve({ matchedCount: 0 }),
    updateOne: () => Promise.resolve({ matchedCount: 0 }),
    findOne: () =>
      Promise.resolve({ _id: 'state', format: 6, store_id: 'store-1', offsets: [own, foreign] }),
  });
  const state = new StoreState(states);
  const raise = (partition: string) =>
    state.raise({ partition, source: 's', offset: '7' }, undefined);
  const [first, second, third] = await Promise.allSettled([
    raise('p/1'),
    raise('p/2'),
    raise('p/1'),
  ]);
  expect([first.status, second.status, third.status]).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
});
