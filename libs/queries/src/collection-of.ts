import type { ProjectionSpec } from '@refledger/read-store';

/**
 * The projection's first collection, which holds its records. Every projection of Refledger has
 * one.
 */
export const collectionOf = ({ name, collections: [collection] }: ProjectionSpec): string => {
  if (collection === undefined) throw new TypeError(`the projection ${name} has no collection`);
  return collection.name;
};
