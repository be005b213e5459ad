import type { Collection } from 'mongodb';
import { StoreState, type StateDocument } from './store-state.js';

/** Test double: holds one document, and can only be read. */
const holding = (document: object): Collection<StateDocument> =>
  ({
    findOne: () => Promise.resolve(document),
    updateOne: () => Promise.resolve({ matchedCount: 1 }),
  }) as unknown as Collection<StateDocument>;

it('rejects a store in a format from before the first release, and says what to do', async () => {
  const earlier = holding({ _id: 'state', store_id: 'store-1', places: [] });
  await expect(new StoreState(earlier).id()).rejects.toMatchObject({
    name: 'DeliveryStoreError',
    kind: 'unusable',
    message: expect.stringContaining('Start with an empty database.') as unknown,
  });
});

it('opens a store in this format', async () => {
  const present = holding({ _id: 'state', store_id: 'store-1', offsets: [] });
  expect(await new StoreState(present).id()).toBe('store-1');
});
