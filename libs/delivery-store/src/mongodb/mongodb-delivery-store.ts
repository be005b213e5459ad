import { connectMongodb, ensureIndexes } from '@refledger/mongodb';
import type { DeliveryStore } from '../delivery-store.js';
import { auditing, type RemovedDocument } from './auditing.js';
import { claims } from './claims.js';
import type { DeliveryDocument } from './delivery-document.js';
import { failing, health, type HealthDocument } from './health.js';
import { indexesOfDeliveries } from './indexes.js';
import { canceling, outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { reading } from './reading.js';
import { requests, type RequestDocument } from './requests.js';
import { replayIndexes, type ReplayDocument } from './replay-document.js';
import { replays, type ReplaysLeaseDocument } from './replays.js';
import { rates, type RateDocument } from './rates.js';
import { removal } from './removal.js';
import { recovery, type LeaseDocument } from './recovery.js';
import { statistics, statisticsIndexes, statisticsReader } from './statistics.js';
import type { StatisticsDocument } from './statistics.js';
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
      const series = connection.db.collection<HealthDocument>('delivery_health');
      const notes = connection.db.collection<RequestDocument>('delivery_requests');
      const buckets = connection.db.collection<RateDocument>('delivery_rates');
      const removed = connection.db.collection<RemovedDocument>('delivery_removed');
      const replayed = connection.db.collection<ReplayDocument>('delivery_replays');
      const rights = connection.db.collection<ReplaysLeaseDocument>('delivery_replays_lease');
      await ensureIndexes(deliveries, indexesOfDeliveries);
      await ensureIndexes(replayed, replayIndexes);
      const points = connection.db.collection<StatisticsDocument>('delivery_statistics');
      await ensureIndexes(points, statisticsIndexes);
      return {
        id: await state.id(),
        ...withStoreErrors({
          ...planning(deliveries, state),
          ...requests(deliveries, notes),
          ...replays({ deliveries, replays: replayed, leases: rights }),
          ...claims(deliveries),
          ...recovery(deliveries, leases),
          ...outcomes(deliveries),
          ...removal(deliveries, buckets, removed, state),
          ...rates(buckets),
          ...canceling(deliveries),
          ...reading(deliveries),
          ...health(series, deliveries),
          ...failing(series),
          ...auditing(deliveries, removed, state),
          ...statistics(points),
          ...statisticsReader(points, deliveries),
        }),
        close: () => connection.close(),
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
