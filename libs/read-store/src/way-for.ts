import { chooseIndex, declares, requireDeclared } from './choose-index.js';
import type { CollectionSpec, IndexSpec, Query, ViewSpec } from './read-store.js';

/** A build as far as queries are concerned: its collections as they were declared when it was made. */
interface Queried {
  readonly version: number;
  readonly collections: readonly CollectionSpec[];
}

/** What a query is answered by. */
export type Way = IndexSpec | 'id';

/** What serves a query of a build. Throws `TypeError` for a query that the view doesn't declare; undefined when only this (older) build can't serve it. */
export const wayFor = (
  view: ViewSpec,
  build: Queried,
  collection: string,
  query: Query,
): Way | undefined => {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000)
    throw new TypeError('a limit is 1 to 1000');
  const way = wayIn(collectionOf(view.collections, collection), query);
  if (way === undefined) throw new TypeError(`no index of ${collection} serves this query`);
  if (build.version === view.version) return way;
  const older = build.collections.find(({ name }) => name === collection);
  return older && declares(older, query) ? wayIn(older, query) : undefined;
};

/** Throws `TypeError` when the collection isn't the view's. */
export const collectionOf = (
  collections: readonly CollectionSpec[],
  name: string,
): CollectionSpec => {
  const collection = collections.find((spec) => spec.name === name);
  if (collection === undefined) throw new TypeError(`${name} is no collection of this view`);
  return collection;
};

const wayIn = (collection: CollectionSpec, query: Query): Way | undefined => {
  if (query.id === undefined) return chooseIndex(collection, query);
  requireDeclared(collection, query);
  return 'id';
};
