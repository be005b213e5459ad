import { MongodbError, toMongodbError } from '@refledger/mongodb';
import { ReadStoreError } from '../read-store.js';

/** Runs work on the server and translates its errors into those of the port. */
export const asStoreErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const known = toMongodbError(error);
    throw known instanceof MongodbError
      ? new ReadStoreError(known.fault, known.message, { cause: known.cause })
      : known;
  }
};
