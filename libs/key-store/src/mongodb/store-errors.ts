import { MongodbError, toMongodbError } from '@refledger/mongodb';
import { KeyStoreError } from '../key-store.js';

/** Runs work on the server, and turns its errors into `KeyStoreError`s. */
export const asStoreErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const known = toMongodbError(error);
    throw known instanceof MongodbError
      ? new KeyStoreError(
          known.fault === 'unavailable' ? 'unavailable' : 'unusable',
          known.message,
          { cause: known.cause },
        )
      : known;
  }
};

/** Returns the methods with their errors turned into `KeyStoreError`s. */
export const withStoreErrors = <T extends Methods>(methods: T): T =>
  // the cast holds because names, arguments and results stay the same
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...args: never[]) => asStoreErrors(() => method(...args)),
    ]),
  ) as T;

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
