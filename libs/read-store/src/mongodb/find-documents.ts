import type { Collection, Document as Bson, Filter as MongoFilter } from 'mongodb';
import type { Filter, IndexSpec, Query } from '../read-store.js';
import type { AccessPath } from '../plan-query.js';
import { indexNameOf, keyOf } from './names.js';
import type { DocumentText, KeyValue } from '../document.js';
import type { ReadModelDocument } from './read-model-document.js';
import { filteredBy } from '../choose-index.js';

/** Finds the texts of a query's documents along its access path. */
export const findDocuments = async (
  collection: Collection<ReadModelDocument>,
  path: AccessPath,
  query: Query,
): Promise<readonly DocumentText[]> =>
  path === 'id'
    ? collection
        .find(findFilter(query, new Map()), { limit: query.limit, projection: texts })
        .toArray()
    : findByIndex(collection, path, query);

const texts = { record: 1, internal: 1 };

const findByIndex = async (
  collection: Collection<ReadModelDocument>,
  index: IndexSpec,
  query: Query,
): Promise<readonly DocumentText[]> => {
  for (let lowCardinality = await lowCardinalityValues(collection, index, query); ;) {
    // A single batch is a single command, so a drop of the collection can't truncate it unnoticed.
    const documents = await collection
      .find(findFilter(query, lowCardinality), {
        sort: sortOf(query),
        hint: indexNameOf(index),
        limit: query.limit,
        batchSize: query.limit + 1,
        projection: texts,
      })
      .toArray();
    const now =
      lowCardinality.size === 0
        ? lowCardinality
        : await lowCardinalityValues(collection, index, query);
    // A document that moved to a previously unknown value would be in no range.
    if (isWithin(now, lowCardinality)) return documents;
    lowCardinality = now;
  }
};

/** Finds the values of each open field by seeks in the index. */
const lowCardinalityValues = async (
  collection: Collection<ReadModelDocument>,
  index: IndexSpec,
  query: Query,
): Promise<LowCardinalityValues> => {
  const lowCardinality = new Map<string, readonly KeyValue[]>();
  const equal = new Map(
    query.where.flatMap((filter) =>
      'equals' in filter ? [[filter.field, filter.equals] as const] : [],
    ),
  );
  const open = openFields(index, query);
  for (const field of open) {
    const before = index.fields.slice(0, index.fields.indexOf(field));
    const prefix = before.map((of) => ({
      [keyOf(of)]: lowCardinality.has(of) ? { $in: lowCardinality.get(of) } : equal.get(of),
    }));
    lowCardinality.set(
      field,
      (await collection.distinct(
        keyOf(field),
        prefix.length === 0 ? {} : { $and: prefix },
      )) as readonly KeyValue[],
    );
  }
  return lowCardinality;
};

const isWithin = (now: LowCardinalityValues, lowCardinality: LowCardinalityValues): boolean =>
  [...now].every(([field, values]) =>
    values.every((value) => lowCardinality.get(field)?.includes(value)),
  );

/**
 * All values of each low-cardinality field of the index that the query leaves open. Each value is a
 * range of the index; MongoDB merges the ranges in order.
 */
export type LowCardinalityValues = ReadonlyMap<string, readonly KeyValue[]>;

/** The fields before the order that the query doesn't filter by equality, in the index's order. */
export const openFields = (index: IndexSpec, query: Query): readonly string[] =>
  filteredBy(index, query).filter(
    (field) => !query.where.some((filter) => filter.field === field && 'equals' in filter),
  );

/**
 * Builds a filter whose conditions fill the index from its start, so that the index returns
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
