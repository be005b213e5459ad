import type { Collection, Document, IndexDescription } from 'mongodb';
import { ignoring, MongodbError, namespaceNotFound } from './mongodb-error.js';

/** Creates missing indexes. Throws a `MongodbError` if one of the same name is on other fields. */
export const ensureIndexes = async <T extends Document>(
  collection: Collection<T>,
  indexes: readonly IndexDescription[],
): Promise<void> => {
  await requireKeys(collection, indexes);
  await collection.createIndexes([...indexes]);
};

/**
 * Throws a `MongodbError` if an index has the name of one of these but other fields: a person
 * must resolve that.
 */
export const requireKeys = async <T extends Document>(
  collection: Collection<T>,
  indexes: readonly Pick<IndexDescription, 'name' | 'key'>[],
): Promise<void> => {
  const there = (await collection.indexes().catch(ignoring(namespaceNotFound))) ?? [];
  const present = new Map(there.map(({ name, key }) => [name, JSON.stringify(key)]));
  for (const { name, key } of indexes) {
    const found = present.get(name);
    if (found !== undefined && found !== JSON.stringify(key))
      throw new MongodbError(
        'unusable',
        `the index ${name} of ${collection.collectionName} covers the wrong fields. Drop it; the next start creates it again.`,
      );
  }
};
