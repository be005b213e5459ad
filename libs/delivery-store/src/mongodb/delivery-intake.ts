import type { EndpointId, Position } from '@refledger/contracts';
import { ensureIndexes, insertNew } from '@refledger/mongodb';
import type { Delivery } from '../delivery.js';
import type { FailingSeries } from '../health-store.js';
import type { RedeliveryKey } from '../redelivery-key.js';
import { noteRemoved } from './auditing.js';
import { withStoreErrors } from './store-errors.js';
import { toDocumentAsIs } from './delivery-document.js';
import { health } from './health.js';
import { indexesOfDeliveries } from './lists.js';
import { connect, type MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import type { NewStore } from './store-state.js';

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
export const openMongodbDeliveryIntake = (
  options: MongodbDeliveryStoreOptions,
): Promise<DeliveryIntake> =>
  connect(options, 'refledger-copy', ({ deliveries, state, series, removed }) => {
    const kept = health(series, deliveries);
    return withStoreErrors({
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
    });
  });
