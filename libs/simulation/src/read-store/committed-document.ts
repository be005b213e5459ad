import type { Position } from '@refledger/contracts';
import type { CollectionSpec, StoredDocument } from '@refledger/read-store';
import {
  documentIn,
  fieldOf,
  multikeyIndexOf,
  storable,
  textOf,
  toKey,
  toTexts,
  type DocumentText,
  type KeyValue,
} from '@refledger/read-store/adapter';

/** A document as a store in memory keeps it: as text, so that no reader can change it. */
export interface CommittedDocument extends DocumentText {
  readonly id: string;
  readonly position: Position;
  readonly isTombstone: boolean;
  /** The values of the indexed fields. */
  readonly keys: ReadonlyMap<string, KeyValue>;
  /** The texts of the multikey field, if the collection has one. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Throws a `ReadStoreError` of kind `unstorable`. */
export const toCommitted = (
  collection: CollectionSpec,
  { id, position, document }: StoredDocument,
): CommittedDocument =>
  storable(id, () => {
    if (document === null)
      return { id, position, isTombstone: true, keys: new Map(), texts: new Map() };
    const multikey = multikeyIndexOf(collection)?.multikey;
    const fields = new Set(collection.indexes.flatMap((index) => index.fields));
    if (multikey !== undefined) fields.delete(multikey);
    const keys = new Map(
      [...fields].map((field) => [field, toKey(fieldOf(document, field), field)] as const),
    );
    const texts = new Map(
      multikey === undefined ? [] : [[multikey, toTexts(fieldOf(document, multikey), multikey)]],
    );
    return { id, position, isTombstone: false, keys, texts, ...textOf(document) };
  });

export const toStored = (committed: CommittedDocument): StoredDocument => ({
  id: committed.id,
  position: committed.position,
  document: documentIn(committed) ?? null,
});
