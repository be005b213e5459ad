import { chooseIndex, declares } from './choose-index.js';
import type { CollectionSpec, IndexSpec, Query, ViewSpec } from './read-store.js';

/** A build as far as queries are concerned: its collections as they were declared when it was made. */
interface Queried {
  readonly version: number;
  readonly collections: readonly CollectionSpec[];
}

/** The index of a build that serves a query. Throws `TypeError` for a query that the view doesn't declare; undefined when only this (older) build can't serve it. */
export const indexFor = (view: ViewSpec, build: Queried, collection: string, query: Query): IndexSpec | undefined => {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000) throw new TypeError('a limit is 1 to 1000');
  const index = chooseIndex(collectionOf(view.collections, collection), query);
  if (index === undefined) throw new TypeError(`no index of ${collection} serves this query`);
  if (build.version === view.version) return index;
  const older = build.collections.find(({ name }) => name === collection);
  return older && declares(older, query) ? chooseIndex(older, query) : undefined;
};

/** Throws `TypeError` when the collection isn't the view's. */
export const collectionOf = (collections: readonly CollectionSpec[], name: string): CollectionSpec => {
  const collection = collections.find((spec) => spec.name === name);
  if (collection === undefined) throw new TypeError(`${name} is no collection of this view`);
  return collection;
};
