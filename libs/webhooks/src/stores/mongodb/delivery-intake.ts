import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { connectMongodb, insertNew } from '@refledger/read-store/mongodb/engine';
import type { Delivery } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { toDocumentAsIs, type DeliveryDocument } from './delivery-document.js';
import { ensureIndexes } from './delivery-indexes.js';
import type { MongodbDeliveryStoreOptions } from './mongodb-delivery-store.js';
import { StoreState, type StateDocument } from './store-state.js';

/** A delivery as another store has it, and its number among those of its endpoint, which rises in the order of planning. */
export interface NumberedDelivery {
  readonly delivery: Delivery;
  readonly n: number;
}

/**
 * Makes a store of the deliveries of another one. It is a store only from `complete` on: a dispatcher that opens it before makes one of its own,
 * finds that the log has noted another, and sends nothing. Errors are `DeliveryStoreError`s.
 */
export interface DeliveryIntake {
  /** The store that is there already; undefined where there is none. */
  storeId(): Promise<string | undefined>;
  /** Takes deliveries as they are; those that are here already stay as they are. One that is under way can't be taken: a TypeError. */
  insert(deliveries: readonly NumberedDelivery[]): Promise<void>;
  /** Makes the store, in one step; one that is there already stays as it is. Answers the id of the one that is there then. */
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
