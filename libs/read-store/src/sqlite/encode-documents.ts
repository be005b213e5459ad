import type { ChangedDocument, CollectionSpec } from '../read-store.js';
import { fieldOf, textOf } from '../document.js';
import { storable } from '../storable.js';
import { fieldsOf } from './collection-table.js';
import { toColumn, toInteger, type SqlValue } from './values.js';

/**
 * A document as a table row: its id, the position that was read (null if none), the new position,
 * its texts, the tombstone flag (1 or null), then the indexed fields.
 */
export type EncodedDocument = readonly [
  id: string,
  read: Integer | null,
  position: Integer,
  record: string | null,
  internal: string | null,
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
  if (document === null)
    return [id, read, toInteger(position), null, null, 1, ...fields.map(() => null)];
  const { record, internal } = textOf(document);
  const columns = fields.map((field) => toColumn(fieldOf(document, field), field));
  return [id, read, toInteger(position), record, internal, null, ...columns];
};
