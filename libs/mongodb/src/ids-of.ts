import type { Collection, Document, Filter, FindOptions, InferIdType } from 'mongodb';

/** The ids of the documents that match. */
export const idsOf = async <T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  options: FindOptions = {},
): Promise<InferIdType<T>[]> => {
  const found = await collection.find(filter, { ...options, projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
};
