import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { collidedIn } from './mongodb-error.js';

/**
 * Inserts documents and returns those whose id already exists. Whether a document is
 * durable does not depend on the others. Throws on any other error; then it is unknown which
 * documents were inserted.
 */
export const insertNew = async <T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<readonly OptionalUnlessRequiredId<T>[]> => {
  if (documents.length === 0) return [];
  try {
    await collection.insertMany(documents, { ordered: false });
    return [];
  } catch (error) {
    const met = collidedIn(error);
    return documents.filter((_, index) => met.has(index));
  }
};
