import type { Collection } from 'mongodb';
import type { IndexSpec, Query } from '../read-store.js';
import type { Way } from '../way-for.js';
import { findFilter, openFields, sortOf, type FewValues } from './find-filter.js';
import { indexNameOf, keyOf } from './names.js';
import type { KeyValue, ViewDocument } from './view-document.js';

/** The JSON of the documents that a query finds by what serves it. */
export const findDocuments = async (
  collection: Collection<ViewDocument>,
  way: Way,
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
  collection: Collection<ViewDocument>,
  index: IndexSpec,
  query: Query,
): Promise<readonly string[]> => {
  for (let few = await fewValues(collection, index, query); ;) {
    // one batch is one command, so a drop of the collection can't cut it short unseen
    const documents = await collection
      .find(findFilter(query, few), {
        sort: sortOf(query),
        hint: indexNameOf(index),
        limit: query.limit,
        batchSize: query.limit + 1,
        projection: { json: 1 },
      })
      .toArray();
    const now = few.size === 0 ? few : await fewValues(collection, index, query);
    // a document that moved to a value that wasn't there before would be in no range
    if (isWithin(now, few)) return jsonOf(documents);
    few = now;
  }
};

const jsonOf = (documents: readonly Pick<ViewDocument, 'json'>[]): readonly string[] =>
  documents.flatMap(({ json }) => json ?? []);

/** The values of each open field, found by steps over the index. */
const fewValues = async (
  collection: Collection<ViewDocument>,
  index: IndexSpec,
  query: Query,
): Promise<FewValues> => {
  const few = new Map<string, readonly KeyValue[]>();
  const equal = new Map(
    query.where.flatMap((filter) =>
      'equals' in filter ? [[filter.field, filter.equals] as const] : [],
    ),
  );
  const open = openFields(index, query);
  for (const field of open) {
    const before = index.fields.slice(0, index.fields.indexOf(field));
    const prefix = before.map((of) => ({
      [keyOf(of)]: few.has(of) ? { $in: few.get(of) } : equal.get(of),
    }));
    few.set(
      field,
      (await collection.distinct(
        keyOf(field),
        prefix.length === 0 ? {} : { $and: prefix },
      )) as readonly KeyValue[],
    );
  }
  return few;
};

const isWithin = (now: FewValues, few: FewValues): boolean =>
  [...now].every(([field, values]) => values.every((value) => few.get(field)?.includes(value)));
