import { ReadStoreError } from '../read-store.js';
import { toMongodbFailure } from './failure.js';

/** Runs work on the server and translates its errors into those of the port. */
export const asStoreErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
};

const toStoreError = (error: unknown): unknown => {
  const failure = toMongodbFailure(error);
  return failure === undefined
    ? error
    : new ReadStoreError(failure.kind, failure.message, { cause: failure.cause });
};
