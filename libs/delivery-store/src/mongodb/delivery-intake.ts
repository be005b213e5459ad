import type { EndpointId, Position } from '@refledger/contracts';
import { connectMongodb, ensureIndexes, insertNew } from '@refledger/mongodb';
import type { Delivery } from '../delivery.js';
import type { FailingSeries } from '../health-store.js';
import type { RedeliveryKey } from '../redelivery-key.js';
import { noteRemoved, type RemovedDocument } from './auditing.js';
import { asStoreErrors, withStoreErrors } from './store-errors.js';
import { toDocumentAsIs, type DeliveryDocument } from './delivery-document.js';
import { health, type HealthDocument } from './health.js';
import { indexesOfDeliveries } from './indexes.js';
import type { MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { StoreState, type NewStore, type StateDocument } from './store-state.js';

/**
 * A delivery of another store, with its number among the deliveries of its endpoint in the order of
 * planning.
 */
interface NumberedDelivery {
  readonly delivery: Delivery;
  readonly n: number;
  /** The keys of requests that were answered with it. */
  readonly keys?: readonly RedeliveryKey[];
}

/**
 * Makes a store from the deliveries of another one. It becomes a store only with `complete`: a
 * dispatcher that opens it earlier creates an id of its own, finds another id recorded in the log,
 * and sends nothing. Errors are `DeliveryStoreError`s.
 */
export interface DeliveryIntake {
  /** The id of the existing store; undefined if there is none. */
  storeId(): Promise<string | undefined>;
  /**
   * Inserts deliveries unchanged; existing ones stay as they are. Throws TypeError for a delivery
   * that is sending.
   */
  insert(deliveries: readonly NumberedDelivery[]): Promise<void>;
  /** Keeps the series of failed attempts of an endpoint. */
  keepSeries(endpoint: EndpointId, series: FailingSeries): Promise<void>;
  /** Notes that a sweep has removed deliveries of an endpoint, up to that of an event. */
  noteRemoved(endpoint: EndpointId, through: Position): Promise<void>;
  /**
   * Creates the store in one step; an existing store stays as it is. Resolves to the id of the
   * store that exists then.
   */
  complete(store: NewStore): Promise<string>;
  close(): Promise<void>;
}

/** Opens an intake for the deliveries of another store. */
export const openMongodbDeliveryIntake = ({
  url,
}: MongodbDeliveryStoreOptions): Promise<DeliveryIntake> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-copy');
    const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
    const kept = health(connection.db.collection<HealthDocument>('delivery_health'), deliveries);
    const removed = connection.db.collection<RemovedDocument>('delivery_removed');
    const state = new StoreState(connection.db.collection<StateDocument>('delivery_state'));
    return {
      ...withStoreErrors({
        storeId: () => state.idIfMade(),
        insert: async (numbered: readonly NumberedDelivery[]) => {
          const documents = numbered.map(({ delivery, n, keys }) =>
            toDocumentAsIs(delivery, n, keys),
          );
          await insertNew(deliveries, documents);
        },
        keepSeries: (endpoint: EndpointId, of: FailingSeries) => kept.keepSeries(endpoint, of),
        noteRemoved: (endpoint: EndpointId, through: Position) =>
          noteRemoved(removed, new Map([[endpoint, BigInt(through)]])),
        complete: async (store: NewStore) => {
          await ensureIndexes(deliveries, indexesOfDeliveries);
          return state.make(store);
        },
      }),
      close: () => connection.close(),
    };
  });
