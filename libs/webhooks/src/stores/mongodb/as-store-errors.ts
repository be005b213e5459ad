import { toMongodbFailure } from '@refledger/read-store/mongodb/engine';
import { DeliveryStoreError } from '../delivery-store.js';

/** Turns errors of the engine into `DeliveryStoreError`s. */
export const asStoreErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const failure = toMongodbFailure(error);
    throw failure === undefined
      ? error
      : new DeliveryStoreError(
          failure.kind === 'unavailable' ? 'unavailable' : 'unusable',
          failure.message,
          { cause: failure.cause },
        );
  }
};
