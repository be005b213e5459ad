import type { Collection, IndexDescription } from 'mongodb';
import { DeliveryStoreError } from '../delivery-store.js';
import type { DeliveryDocument } from './delivery-document.js';

const indexes: readonly (IndexDescription & { readonly name: string })[] = [
  {
    name: 'due_by_endpoint',
    key: { endpoint_id: 1, due_at: 1, created_at: 1, n: 1 },
    partialFilterExpression: { status: 'waiting' },
  },
  { name: 'waiting', key: { due_at: 1 }, partialFilterExpression: { status: 'waiting' } },
  { name: 'sending', key: { lease_until: 1 }, partialFilterExpression: { status: 'sending' } },
  { name: 'planned', key: { endpoint_id: 1, created_at: 1, n: 1, _id: 1 } },
  { name: 'finished', key: { finished_at: 1 }, sparse: true },
  { name: 'counted', key: { status: 1, endpoint_id: 1 } },
];

/**
 * Creates missing indexes. Throws a `DeliveryStoreError` for an index of the same name on other
 * fields: an operator must decide about it.
 */
export const ensureIndexes = async (deliveries: Collection<DeliveryDocument>): Promise<void> => {
  // creates the collection too, since listing the indexes of a missing one fails
  await deliveries.createIndex(
    { due_at: 1 },
    { name: 'waiting', partialFilterExpression: { status: 'waiting' } },
  );
  const present = new Map(
    (await deliveries.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]),
  );
  for (const { name, key } of indexes) {
    const found = present.get(name);
    if (found !== undefined && found !== JSON.stringify(key))
      throw new DeliveryStoreError(
        'unusable',
        `the index ${name} of ${deliveries.collectionName} is on other fields than it should be: drop it, and it is made anew at the next start`,
      );
  }
  await deliveries.createIndexes([...indexes]);
};
