import { connectMongodb } from '@refledger/read-store/mongodb/engine';
import type { DeliveryStore } from '../delivery-store.js';
import { claims } from './claims.js';
import type { DeliveryDocument } from './delivery-document.js';
import { ensureIndexes } from './indexes.js';
import { canceling, outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { reading } from './reading.js';
import { rates, type RateDocument } from './rates.js';
import { recovery, type LeaseDocument } from './recovery.js';
import { StoreState, type StateDocument } from './store-state.js';
import { asStoreErrors, withStoreErrors } from './store-errors.js';

export interface MongodbDeliveryStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and database name. */
  readonly url: string;
}

/**
 * Opens deliveries in a MongoDB database that several dispatchers share: a replica set, a
 * standalone server or a sharded cluster. Needs no transactions.
 */
export const openMongodbDeliveryStore = ({
  url,
}: MongodbDeliveryStoreOptions): Promise<DeliveryStore> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-delivery-store');
    try {
      const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
      const state = new StoreState(connection.db.collection<StateDocument>('delivery_state'));
      const leases = connection.db.collection<LeaseDocument>('delivery_leases');
      const buckets = connection.db.collection<RateDocument>('delivery_rates');
      await ensureIndexes(deliveries);
      return {
        id: await state.id(),
        ...withStoreErrors({
          ...planning(deliveries, state),
          ...claims(deliveries),
          ...recovery(deliveries, leases),
          ...outcomes(deliveries, buckets),
          ...rates(buckets),
          ...canceling(deliveries),
          ...reading(deliveries),
        }),
        close: () => connection.close(),
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
