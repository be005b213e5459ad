import type { ChangedDocument, CollectionSpec } from '../read-store.js';
import { fieldOf, textOf, toTexts } from '../document.js';
import { multikeyIndexOf } from '../projection-spec.js';
import { storable } from '../storable.js';
import { fieldsOf } from './collection-table.js';
import { toColumn, toInteger, type SqlValue } from './values.js';

/**
 * A document as a table row: its id, the position that was read (null if none), the texts of its
 * multikey field, the new position, the document's own texts, the tombstone flag (1 or null), then
 * the indexed fields.
 */
export type EncodedDocument = readonly [
  id: string,
  read: Integer | null,
  texts: readonly string[],
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
  const encoding = {
    fields: fieldsOf(collection),
    multikey: multikeyIndexOf(collection)?.multikey,
  };
  return documents.map((stored) => storable(stored.id, () => encode(encoding, stored)));
};

interface Encoding {
  readonly fields: readonly string[];
  readonly multikey: string | undefined;
}

const encode = (
  { fields, multikey }: Encoding,
  { id, readPosition, position, document }: ChangedDocument,
): EncodedDocument => {
  const read = readPosition === undefined ? null : toInteger(readPosition);
  if (document === null)
    return [id, read, [], toInteger(position), null, null, 1, ...fields.map(() => null)];
  const { record, internal } = textOf(document);
  const columns = fields.map((field) => toColumn(fieldOf(document, field), field));
  const texts = multikey === undefined ? [] : toTexts(fieldOf(document, multikey), multikey);
  return [id, read, texts, toInteger(position), record, internal, null, ...columns];
};
