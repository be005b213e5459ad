import { idsOf } from '@refledger/mongodb';
import type { Collection, Filter, UpdateFilter, UpdateOptions } from 'mongodb';
import type { DeliveryDocument } from './delivery-document.js';

/**
 * How many deliveries one request updates. Others may update the same ones meanwhile, and a larger
 * update would conflict with theirs again and again. If it took longer than the client waits, it
 * would be sent once more while the server is still working on the first.
 */
export const updatedAtOnce = 100;

/** Splits a list into pieces that one request updates. */
export const inSteps = function* <T>(all: readonly T[]): Generator<T[]> {
  for (let start = 0; start < all.length; start += updatedAtOnce)
    yield all.slice(start, start + updatedAtOnce);
};

/**
 * Updates the deliveries that match until none is left. After the update they must no longer match.
 * Resolves to the number updated.
 */
export const updateInSteps = async (
  deliveries: Collection<DeliveryDocument>,
  filter: Filter<DeliveryDocument>,
  update: UpdateFilter<DeliveryDocument>,
  options: UpdateOptions = {},
): Promise<number> => {
  for (let count = 0; ;) {
    const ids = await idsOf(deliveries, filter, { limit: updatedAtOnce });
    if (ids.length === 0) return count;
    const these = { ...filter, _id: { $in: ids } };
    count += (await deliveries.updateMany(these, update, options)).modifiedCount;
  }
};
