import {
  MongoBulkWriteError,
  type Collection,
  type Document,
  type OptionalUnlessRequiredId,
} from 'mongodb';

/**
 * Inserts, and answers those whose id is there already (11000). Documents of one call are durable or not each for itself; any other error is thrown,
 * and then it isn't known which are there.
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
