import { documentIn, fromInteger, type DocumentText } from '../document.js';
import type { StoredDocument } from '../read-store.js';

/** A row of a collection's table, with its position cast to text. */
export interface DocumentRow extends DocumentText {
  readonly id: string;
  readonly position: string;
}

/** The columns of a `DocumentRow`. */
export const documentColumns = 'id, CAST(position AS TEXT) AS position, record, internal';

export const toStored = (row: DocumentRow): StoredDocument => ({
  id: row.id,
  position: fromInteger(row.position),
  document: documentIn(row) ?? null,
});
