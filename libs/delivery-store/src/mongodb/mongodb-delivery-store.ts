import { connectMongodb, ensureIndexes } from '@refledger/mongodb';
import type { Db } from 'mongodb';
import type { DeliveryStore } from '../delivery-store.js';
import { auditing, type RemovedDocument } from './auditing.js';
import { claims } from './claims.js';
import type { DeliveryDocument } from './delivery-document.js';
import { failing, health, type HealthDocument } from './health.js';
import { indexesOfDeliveries } from './lists.js';
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
export const openMongodbDeliveryStore = (
  options: MongodbDeliveryStoreOptions,
): Promise<DeliveryStore> =>
  connect(options, 'refledger-delivery-store', async (collections) => {
    const { deliveries, state, series, notes, buckets, removed, points } = collections;
    await ensureIndexes(deliveries, indexesOfDeliveries);
    await ensureIndexes(collections.replays, replayIndexes);
    await ensureIndexes(points, statisticsIndexes);
    return {
      id: await state.id(),
      ...withStoreErrors({
        ...planning(deliveries, state),
        ...requests(deliveries, notes),
        ...replays({ ...collections, leases: collections.replaysLeases }),
        ...claims(deliveries),
        ...recovery(deliveries, collections.leases),
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
    };
  });

/** Connects to the database and opens its collections. Disconnects if that fails. */
export const connect = <T>(
  { url }: MongodbDeliveryStoreOptions,
  appName: string,
  open: (collections: ReturnType<typeof collectionsIn>) => T | Promise<T>,
): Promise<T & { close(): Promise<void> }> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, appName);
    try {
      const opened = await open(collectionsIn(connection.db));
      return { ...opened, close: () => connection.close() };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });

const collectionsIn = (db: Db) => ({
  deliveries: db.collection<DeliveryDocument>('deliveries'),
  state: new StoreState(db.collection<StateDocument>('delivery_state')),
  leases: db.collection<LeaseDocument>('delivery_leases'),
  series: db.collection<HealthDocument>('delivery_health'),
  notes: db.collection<RequestDocument>('delivery_requests'),
  buckets: db.collection<RateDocument>('delivery_rates'),
  removed: db.collection<RemovedDocument>('delivery_removed'),
  replays: db.collection<ReplayDocument>('delivery_replays'),
  replaysLeases: db.collection<ReplaysLeaseDocument>('delivery_replays_lease'),
  points: db.collection<StatisticsDocument>('delivery_statistics'),
});
