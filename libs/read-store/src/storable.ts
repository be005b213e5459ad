import { ReadStoreError } from './read-store.js';

/** Encodes a document for an engine. A failure is permanent, so it becomes `unstorable`. */
export const storable = <T>(id: string, encode: () => T): T => {
  try {
    return encode();
  } catch (error) {
    throw new ReadStoreError('unstorable', `document ${id} cannot be stored`, {
      cause: error,
    });
  }
};
