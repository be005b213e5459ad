import type { Collection, Db } from 'mongodb';
import {
  documentIn,
  fieldOf,
  fromInteger,
  textOf,
  toKey,
  toTexts,
  type DocumentText,
  type KeyValue,
} from '../document.js';
import type { Build, ChangedDocument, CollectionSpec, StoredDocument } from '../read-store.js';
import { multikeyIndexOf } from '../projection-spec.js';
import { collectionNameOf } from './names.js';

/**
 * A document as MongoDB stores it: its texts, and beside them the values of its indexed fields,
 * without sparse fields that are null. A tombstone has none of these. (ADR 0019)
 */
export interface ReadModelDocument extends DocumentText {
  readonly _id: string;
  readonly position: bigint;
  readonly live: boolean;
  readonly key?: Readonly<Record<string, KeyValue | readonly string[]>>;
}

/** A document to be written, with the position of the document that it was made from. */
export interface ReadModelChange {
  readonly document: ReadModelDocument;
  readonly read: bigint | undefined;
}

/** The documents of one collection of a build. */
export const documentsOf = (
  db: Db,
  build: Build,
  collection: string,
): Collection<ReadModelDocument> =>
  db.collection<ReadModelDocument>(collectionNameOf(build, collection));

/** Encodes a document for MongoDB. Throws `TypeError` if an indexed field holds another type. */
const toReadModelDocument = (
  collection: CollectionSpec,
  { id, position, document }: StoredDocument,
): ReadModelDocument => {
  const base = { _id: id, position: BigInt(position) };
  if (document === null) return { ...base, live: false };
  const { indexes } = collection;
  const multikey = multikeyIndexOf(collection)?.multikey;
  const fields = new Set(indexes.flatMap(({ fields: of }) => of));
  const sparse = new Set(indexes.flatMap((index) => index.sparse ?? []));
  const values = [...fields].map((field) => {
    const value = fieldOf(document, field);
    return [field, field === multikey ? toTexts(value, field) : toKey(value, field)] as const;
  });
  return {
    ...base,
    live: true,
    ...textOf(document),
    key: Object.fromEntries(
      values.filter(([field, value]) => value !== null || !sparse.has(field)),
    ),
  };
};

export const toReadModelChange = (
  spec: CollectionSpec,
  changed: ChangedDocument,
): ReadModelChange => ({
  document: toReadModelDocument(spec, changed),
  read: changed.readPosition === undefined ? undefined : BigInt(changed.readPosition),
});

export const toStored = (stored: ReadModelDocument): StoredDocument => ({
  id: stored._id,
  position: fromInteger(stored.position),
  document: documentIn(stored) ?? null,
});
