import { connectMongodb } from '@refledger/read-store/mongodb/engine';
import type { OpenDeliveryReader } from '../open-delivery-reader.js';
import type { DeliveryDocument } from './delivery-document.js';
import type { MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { reading } from './reading.js';
import { asStoreErrors, withStoreErrors } from './store-errors.js';
import { StoreState, type StateDocument } from './store-state.js';

/** Opens an existing delivery store to read it. */
export const openMongodbDeliveryReader = ({
  url,
}: MongodbDeliveryStoreOptions): Promise<OpenDeliveryReader> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-delivery-reader');
    try {
      const states = connection.db.collection<StateDocument>('delivery_state');
      const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
      return {
        id: await new StoreState(states).existingId(),
        ...withStoreErrors({ ...reading(deliveries) }),
        close: () => connection.close(),
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
