import type { Document as Bson, Filter as MongoFilter } from 'mongodb';
import { filteredBy } from '../choose-index.js';
import type { Filter, IndexSpec, Query } from '../read-store.js';
import { keyOf } from './names.js';
import type { KeyValue, ReadModelDocument } from './read-model-document.js';

/**
 * All values of each few-valued index field that the query leaves open. Each value is a range of
 * the index; MongoDB merges the ranges in order.
 */
export type LowCardinalityValues = ReadonlyMap<string, readonly KeyValue[]>;

/** The fields before the order that the query doesn't filter by equality, in the index's order. */
export const openFields = (index: IndexSpec, query: Query): readonly string[] =>
  filteredBy(index, query).filter(
    (field) => !query.where.some((filter) => filter.field === field && 'equals' in filter),
  );

/**
 * Builds a filter whose conditions fill the index from its beginning, so that the index returns
 * documents in order, at the same cost at any depth.
 */
export const findFilter = (
  query: Query,
  lowCardinality: LowCardinalityValues,
): MongoFilter<ReadModelDocument> => {
  const conditions: Bson[] = [
    ...(query.id === undefined ? [] : [{ _id: query.id }]),
    { live: true },
    ...[...lowCardinality].map(([field, values]) => ({ [keyOf(field)]: { $in: values } })),
    ...query.where.flatMap(conditionsOf),
  ];
  const places = placesAfter(query);
  // One branch per alternative, each with all conditions: only then is each a range of the index.
  return places === undefined
    ? { $and: conditions }
    : { $or: places.map((place) => ({ $and: [...conditions, ...place] })) };
};

/** The sort of a query, in MongoDB's form. */
export const sortOf = ({ order }: Query): Readonly<Record<string, 1 | -1>> =>
  Object.fromEntries(order.fields.map((field) => [keyOf(field), order.descending ? -1 : 1]));

const conditionsOf = (filter: Filter): readonly Bson[] => {
  const field = keyOf(filter.field);
  if ('equals' in filter) return [{ [field]: filter.equals }];
  return [
    ...(filter.after !== undefined ? [{ [field]: { $gt: filter.after } }] : []),
    ...(filter.before !== undefined ? [{ [field]: { $lt: filter.before } }] : []),
  ];
};

/**
 * MongoDB can't compare rows, so (a, b) after (x, y) becomes: a after x, or a equal to x and b
 * after y.
 */
const placesAfter = ({ after, order }: Query): readonly (readonly Bson[])[] | undefined => {
  if (after === undefined) return undefined;
  if (after.length !== order.fields.length)
    throw new TypeError('`after` needs a value for each field of the order');
  const beyond = order.descending ? '$lt' : '$gt';
  return order.fields.map((field, i) => [
    ...order.fields.slice(0, i).map((equal, j) => ({ [keyOf(equal)]: after[j] })),
    { [keyOf(field)]: { [beyond]: after[i] } },
  ]);
};
