import type { Collection } from 'mongodb';
import type { IndexSpec, Query } from '../read-store.js';
import type { AccessPath } from '../plan-query.js';
import { findFilter, openFields, sortOf, type LowCardinalityValues } from './find-filter.js';
import { indexNameOf, keyOf } from './names.js';
import type { KeyValue, ReadModelDocument } from './read-model-document.js';

/** Finds the JSON of a query's documents along its access path. */
export const findDocuments = async (
  collection: Collection<ReadModelDocument>,
  way: AccessPath,
  query: Query,
): Promise<readonly string[]> =>
  way === 'id'
    ? jsonOf(
        await collection
          .find(findFilter(query, new Map()), { limit: query.limit, projection: { json: 1 } })
          .toArray(),
      )
    : findByIndex(collection, way, query);

const findByIndex = async (
  collection: Collection<ReadModelDocument>,
  index: IndexSpec,
  query: Query,
): Promise<readonly string[]> => {
  for (let lowCardinality = await lowCardinalityValues(collection, index, query); ;) {
    // A single batch is a single command, so a drop of the collection can't truncate it unnoticed.
    const documents = await collection
      .find(findFilter(query, lowCardinality), {
        sort: sortOf(query),
        hint: indexNameOf(index),
        limit: query.limit,
        batchSize: query.limit + 1,
        projection: { json: 1 },
      })
      .toArray();
    const now =
      lowCardinality.size === 0
        ? lowCardinality
        : await lowCardinalityValues(collection, index, query);
    // A document that moved to a value unknown before would be in no range.
    if (isWithin(now, lowCardinality)) return jsonOf(documents);
    lowCardinality = now;
  }
};

const jsonOf = (documents: readonly Pick<ReadModelDocument, 'json'>[]): readonly string[] =>
  documents.flatMap(({ json }) => json ?? []);

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
