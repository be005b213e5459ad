import {
  MongoBulkWriteError,
  type Collection,
  type Document,
  type OptionalUnlessRequiredId,
} from 'mongodb';

/**
 * Inserts documents and returns those whose id already exists (11000). Whether a document is
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
    if (
      !(error instanceof MongoBulkWriteError) ||
      error.result.getWriteConcernError() !== undefined
    )
      throw error;
    const failed = [error.writeErrors].flat();
    if (failed.length === 0 || failed.some(({ code }) => code !== 11000)) throw error;
    const met = new Set(failed.map(({ index }) => index));
    return documents.filter((_, index) => met.has(index));
  }
};
