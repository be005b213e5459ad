import { toMongodbFailure } from '@refledger/read-store/mongodb/engine';
import { DeliveryStoreError } from '../delivery-store.js';

/** Runs work on the server, and turns its errors into `DeliveryStoreError`s. */
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

/** Returns the methods with their errors turned into `DeliveryStoreError`s. */
export const withStoreErrors = <T extends Methods>(methods: T): T =>
  // the cast holds because names, arguments and results stay the same
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...args: never[]) => asStoreErrors(() => method(...args)),
    ]),
  ) as T;

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
