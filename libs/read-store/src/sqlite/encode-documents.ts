import type { CollectionSpec, StoredDocument } from '../read-store.js';
import { storable } from '../storable.js';
import { fieldsOf } from './collection-table.js';
import { toColumn, toInteger, type SqlValue } from './values.js';

/** A document as its row: id, position, JSON, whether it is a tombstone (1 or null), then the indexed fields. */
export type EncodedDocument = readonly [id: string, position: number | bigint, json: string | null, gone: 1 | null, ...fields: SqlValue[]];

export const encodeDocuments = (collection: CollectionSpec, documents: readonly StoredDocument[]): readonly EncodedDocument[] => {
  const fields = fieldsOf(collection);
  return documents.map((stored) => storable(stored.id, () => encode(fields, stored)));
};

const encode = (fields: readonly string[], { id, position, document }: StoredDocument): EncodedDocument => {
  const row: [string, number | bigint, string | null, 1 | null, ...SqlValue[]] = [id, toInteger(position), ...(document === null ? ([null, 1] as const) : ([JSON.stringify(document), null] as const))];
  for (const field of fields) row.push(document === null ? null : toColumn(document[field], field));
  return row;
};
