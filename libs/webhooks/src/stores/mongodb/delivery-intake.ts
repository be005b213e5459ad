import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { connectMongodb, insertNew } from '@refledger/read-store/mongodb/engine';
import type { Delivery } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { toDocumentAsIs, type DeliveryDocument } from './delivery-document.js';
import { ensureIndexes } from './delivery-indexes.js';
import type { MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { StoreState, type StateDocument } from './store-state.js';

/**
 * A delivery of another store, with its number among the deliveries of its endpoint in the order of
 * planning.
 */
export interface NumberedDelivery {
  readonly delivery: Delivery;
  readonly n: number;
}

/**
 * Makes a store from the deliveries of another one. It becomes a store only with `complete`: a
 * dispatcher that opens it earlier creates an id of its own, finds another id noted in the log, and
 * sends nothing. Errors are `DeliveryStoreError`s.
 */
export interface DeliveryIntake {
  /** The id of the existing store; undefined if there is none. */
  storeId(): Promise<string | undefined>;
  /**
   * Inserts deliveries unchanged; existing ones stay as they are. Throws TypeError for a delivery
   * that is sending.
   */
  insert(deliveries: readonly NumberedDelivery[]): Promise<void>;
  /**
   * Creates the store in one step; an existing store stays as it is. Resolves to the id of the
   * store that exists then.
   */
  complete(store: {
    readonly id: string;
    readonly offsets: readonly Offset[];
    readonly floor: Position | undefined;
  }): Promise<string>;
  close(): Promise<void>;
}

export const openMongodbDeliveryIntake = ({
  url,
}: MongodbDeliveryStoreOptions): Promise<DeliveryIntake> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-copy');
    const deliveries = connection.db.collection<DeliveryDocument>('deliveries');
    const state = new StoreState(connection.db.collection<StateDocument>('delivery_state'));
    return {
      storeId: () => asStoreErrors(() => state.idIfMade()),
      insert: (numbered) =>
        asStoreErrors(async () => {
          if (numbered.length > 0)
            await insertNew(
              deliveries,
              numbered.map(({ delivery, n }) => toDocumentAsIs(delivery, n)),
            );
        }),
      complete: (store) =>
        asStoreErrors(async () => {
          await ensureIndexes(deliveries);
          return state.make(store);
        }),
      close: () => connection.close(),
    };
  });
