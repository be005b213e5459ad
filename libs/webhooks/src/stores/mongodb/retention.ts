import type { Collection } from 'mongodb';
import type { DeliveryStore } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import type { DeliveryDocument } from './delivery-document.js';

/** The method of the store that removes old deliveries. */
export const retention = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'expire'> => ({
  expire: (before, limit) =>
    asStoreErrors(async () => {
      const ended = await deliveries
        .find(
          { finished_at: { $lt: before } },
          { sort: { finished_at: 1 }, limit, projection: { _id: 1 } },
        )
        .toArray();
      return (
        await deliveries.deleteMany({
          _id: { $in: ended.map(({ _id }) => _id) },
          finished_at: { $lt: before },
        })
      ).deletedCount;
    }),
});
