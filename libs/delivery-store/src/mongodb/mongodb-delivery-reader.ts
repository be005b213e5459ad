import { connectMongodb } from '@refledger/mongodb';
import type { OpenDeliveryReader } from '../delivery-store.js';
import { auditing, type RemovedDocument } from './auditing.js';
import type { DeliveryDocument } from './delivery-document.js';
import type { MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { failing, type HealthDocument } from './health.js';
import type { ReplayDocument } from './replay-document.js';
import { replayReader } from './replays.js';
import { reading } from './reading.js';
import { statisticsReader, type StatisticsDocument } from './statistics.js';
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
      const series = connection.db.collection<HealthDocument>('delivery_health');
      const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
      const removed = connection.db.collection<RemovedDocument>('delivery_removed');
      const replays = connection.db.collection<ReplayDocument>('delivery_replays');
      const points = connection.db.collection<StatisticsDocument>('delivery_statistics');
      const state = new StoreState(states);
      return {
        id: await state.existingId(),
        ...withStoreErrors({
          floor: () => state.floor(),
          ...reading(deliveries),
          ...replayReader(replays),
          ...failing(series),
          ...auditing(deliveries, removed, state),
          ...statisticsReader(points, deliveries),
        }),
        close: () => connection.close(),
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
