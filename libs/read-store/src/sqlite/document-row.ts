import type { Document, StoredDocument } from '../read-store.js';
import { fromInteger } from './values.js';

/** A row of a collection's table, with its position cast to text. */
export interface DocumentRow {
  readonly id: string;
  readonly position: string;
  readonly document: string | null;
}

export const toStored = ({ id, position, document }: DocumentRow): StoredDocument => ({
  id,
  position: fromInteger(position),
  document: document === null ? null : toDocument(document),
});

export const toDocument = (json: string): Document => JSON.parse(json) as Document;
