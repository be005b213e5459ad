import type { ChangedDocument, CollectionSpec } from '../read-store.js';
import { storable } from '../storable.js';
import { fieldsOf } from './collection-table.js';
import { toColumn, toInteger, type SqlValue } from './values.js';

/**
 * A document as a table row: its id, the position that was read (null if none), the new position,
 * the JSON, the tombstone flag (1 or null), then the indexed fields.
 */
export type EncodedDocument = readonly [
  id: string,
  read: Integer | null,
  position: Integer,
  json: string | null,
  gone: 1 | null,
  ...fields: SqlValue[],
];

type Integer = number | bigint;

/** Encodes documents as table rows. Throws a `ReadStoreError` of kind `unstorable`. */
export const encodeDocuments = (
  collection: CollectionSpec,
  documents: readonly ChangedDocument[],
): readonly EncodedDocument[] => {
  const fields = fieldsOf(collection);
  return documents.map((stored) => storable(stored.id, () => encode(fields, stored)));
};

const encode = (
  fields: readonly string[],
  { id, readPosition, position, document }: ChangedDocument,
): EncodedDocument => {
  const read = readPosition === undefined ? null : toInteger(readPosition);
  const row: [string, Integer | null, Integer, string | null, 1 | null, ...SqlValue[]] = [
    id,
    read,
    toInteger(position),
    ...(document === null ? ([null, 1] as const) : ([JSON.stringify(document), null] as const)),
  ];
  for (const field of fields) row.push(document === null ? null : toColumn(document[field], field));
  return row;
};
