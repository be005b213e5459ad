import type { CollectionSpec, IndexSpec, Query } from './read-store.js';

/**
 * The declared index that serves a query: its leading fields have equality filters, its next ones are the query's order. Of several
 * the one with the most filters, then the one declared first; undefined when there is none. Throws `TypeError` for a field of no index.
 */
export const chooseIndex = (collection: CollectionSpec, query: Query): IndexSpec | undefined => {
  const unknown = undeclared(collection, query);
  if (unknown !== undefined) throw new TypeError(`${unknown} is in no index of ${collection.name}`);
  const equal = new Set(query.where.filter((filter) => 'equals' in filter).map(({ field }) => field));
  let best: { index: IndexSpec; filters: number } | undefined;
  for (const index of collection.indexes) {
    const filters = filtersServed(index, equal, query.order.fields);
    if (filters !== undefined && filters > (best?.filters ?? -1)) best = { index, filters };
  }
  return best?.index;
};

/** Whether every field that the query filters or orders by is in an index. */
export const declares = (collection: CollectionSpec, query: Query): boolean => undeclared(collection, query) === undefined;

const undeclared = (collection: CollectionSpec, { where, order }: Query): string | undefined => {
  const declared = new Set(collection.indexes.flatMap(({ fields }) => fields));
  return [...where.map(({ field }) => field), ...order.fields].find((field) => !declared.has(field));
};

/** How many equality filters the index serves before the order; undefined when it doesn't serve the order. */
const filtersServed = ({ fields }: IndexSpec, equal: ReadonlySet<string>, order: readonly string[]): number | undefined => {
  const filters = fields.length - order.length;
  const leading = fields.slice(0, filters);
  return filters >= 0 && leading.every((field) => equal.has(field)) && order.every((field, i) => fields[filters + i] === field) ? filters : undefined;
};
