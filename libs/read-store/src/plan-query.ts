import { chooseIndex, declares, filtersMultikey, requireDeclared } from './choose-index.js';
import type { CollectionSpec, IndexSpec, Query, ProjectionSpec } from './read-store.js';
import type { StoredBuild } from './readable-build.js';

/** How a query finds its documents: by an index or by id. */
export type AccessPath = IndexSpec | 'id';

/**
 * Chooses the access path of a query. Throws `TypeError` if the projection doesn't declare the
 * query. Returns undefined if the build is of another version that can't serve it.
 */
export const planQuery = (
  projection: ProjectionSpec,
  build: Pick<StoredBuild, 'version' | 'collections'>,
  collection: string,
  query: Query,
): AccessPath | undefined => {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000)
    throw new TypeError('a limit must be from 1 to 1000');
  const path = pathIn(collectionOf(projection.collections, collection), query);
  if (path === undefined) throw new TypeError(`no index of ${collection} serves this query`);
  if (build.version === projection.version) return path;
  const older = build.collections.find(({ name }) => name === collection);
  return older && declares(older, query) ? pathIn(older, query) : undefined;
};

/** The collection of this name. Throws `TypeError` if the projection has none. */
export const collectionOf = (
  collections: readonly CollectionSpec[],
  name: string,
): CollectionSpec => {
  const collection = collections.find((spec) => spec.name === name);
  if (collection === undefined)
    throw new TypeError(`${name} is not a collection of this projection`);
  return collection;
};

const pathIn = (collection: CollectionSpec, query: Query): AccessPath | undefined => {
  if (query.id === undefined) return chooseIndex(collection, query);
  requireDeclared(collection, query);
  return filtersMultikey(collection, query) ? undefined : 'id';
};
