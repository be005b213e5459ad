import { ReadStoreError } from './read-store.js';

/** Brings a document into an engine's form. What fails in that fails each time. */
export const storable = <T>(id: string, encode: () => T): T => {
  try {
    return encode();
  } catch (error) {
    throw new ReadStoreError('unstorable', `the document ${id} can't be stored: ${String(error)}`, {
      cause: error,
    });
  }
};
