import { multikeyIndexOf } from './projection-spec.js';
import type { CollectionSpec, Filter, IndexSpec, Query } from './read-store.js';

type Equality = Extract<Filter, { equals: unknown }>;

/**
 * Chooses the declared index that serves a query. Each leading field of such an index either has an
 * equality filter or has few values, its next fields are the query's order, and its sparse fields
 * are filtered by a value. Only the index with a multikey field serves a filter on that field. If several serve, the index with the most filters on high-cardinality
 * fields wins, then an index without low-cardinality fields or with a filter on at least one of
 * them, then the index declared first. Returns undefined if none serves. Throws `TypeError` if a
 * field is in no index.
 */
export const chooseIndex = (collection: CollectionSpec, query: Query): IndexSpec | undefined => {
  requireDeclared(collection, query);
  const equal = new Map(
    query.where.flatMap((filter) =>
      'equals' in filter ? [[filter.field, filter.equals] as const] : [],
    ),
  );
  const filteredMultikey = filtersMultikey(collection, query)
    ? multikeyIndexOf(collection)?.multikey
    : undefined;
  let best: { index: IndexSpec; rank: number } | undefined;
  for (const index of collection.indexes) {
    if (index.multikey !== filteredMultikey) continue;
    const rank = rankOf(index, equal, query.order.fields);
    if (rank !== undefined && rank > (best?.rank ?? -1)) best = { index, rank };
  }
  return best?.index;
};

/** The fields of an index that come before the order. */
export const filteredBy = ({ fields }: IndexSpec, { order }: Query): readonly string[] =>
  fields.slice(0, fields.length - order.fields.length);

/** Whether the query filters by the collection's multikey field. */
export const filtersMultikey = (collection: CollectionSpec, { where }: Query): boolean => {
  const multikey = multikeyIndexOf(collection)?.multikey;
  return multikey !== undefined && where.some(({ field }) => field === multikey);
};

/** Whether every field that the query filters or orders by is in an index. */
export const declares = (collection: CollectionSpec, query: Query): boolean =>
  undeclared(collection, query) === undefined;

/** Throws `TypeError` unless every field that the query filters or orders by is in an index. */
export const requireDeclared = (collection: CollectionSpec, query: Query): void => {
  const unknown = undeclared(collection, query);
  if (unknown !== undefined)
    throw new TypeError(`no index of ${collection.name} has the field ${unknown}`);
};

const undeclared = ({ indexes }: CollectionSpec, { where, order }: Query): string | undefined =>
  [...where.map(({ field }) => field), ...order.fields].find(
    (field) => !indexes.some(({ fields }) => fields.includes(field)),
  );

/** Ranks an index for a query; undefined if it doesn't serve the filters and the order. */
const rankOf = (
  { fields, lowCardinality = [], sparse = [] }: IndexSpec,
  equal: ReadonlyMap<string, Equality['equals']>,
  order: readonly string[],
): number | undefined => {
  const filters = fields.length - order.length;
  const leading = fields.slice(0, filters);
  const serves =
    filters >= 0 &&
    leading.every((field) => equal.has(field) || lowCardinality.includes(field)) &&
    order.every((field, i) => fields[filters + i] === field) &&
    sparse.every((field) => (equal.get(field) ?? null) !== null);
  if (!serves) return undefined;
  const isUseful = lowCardinality.length === 0 || lowCardinality.some((field) => equal.has(field));
  return 2 * leading.filter((field) => !lowCardinality.includes(field)).length + (isUseful ? 1 : 0);
};
