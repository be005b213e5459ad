import type { Position } from '@refledger/contracts';
import type { CollectionSpec, StoredDocument } from '@refledger/read-store';
import {
  documentIn,
  fieldOf,
  storable,
  textOf,
  toKey,
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
}

/** Throws a `ReadStoreError` of kind `unstorable`. */
export const toCommitted = (
  { indexes }: CollectionSpec,
  { id, position, document }: StoredDocument,
): CommittedDocument =>
  storable(id, () => {
    if (document === null) return { id, position, isTombstone: true, keys: new Map() };
    const fields = new Set(indexes.flatMap((index) => index.fields));
    const keys = new Map(
      [...fields].map((field) => [field, toKey(fieldOf(document, field), field)] as const),
    );
    return { id, position, isTombstone: false, keys, ...textOf(document) };
  });

export const toStored = (committed: CommittedDocument): StoredDocument => ({
  id: committed.id,
  position: committed.position,
  document: documentIn(committed) ?? null,
});
