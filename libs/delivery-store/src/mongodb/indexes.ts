import type { Collection } from 'mongodb';
import { requireKeys } from '@refledger/mongodb';
import { workIndexes, type DeliveryDocument } from './delivery-document.js';
import { listIndexes } from './lists.js';

/** Creates missing indexes. Throws if one of the same name is on other fields. */
export const ensureIndexes = async (deliveries: Collection<DeliveryDocument>): Promise<void> => {
  const indexes = [...workIndexes, ...listIndexes];
  await requireKeys(deliveries, indexes);
  await deliveries.createIndexes(indexes);
};
