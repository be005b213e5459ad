import { toPosition, type Position } from '@refledger/contracts';
import type { Collection, Db } from 'mongodb';
import type {
  Build,
  ChangedDocument,
  CollectionSpec,
  Document,
  StoredDocument,
} from '../read-store.js';
import { collectionNameOf } from './names.js';

/**
 * A document as MongoDB stores it: its JSON unchanged, and beside it the values of its indexed
 * fields. A tombstone has neither. (ADR 0019)
 */
export interface ReadModelDocument {
  readonly _id: string;
  readonly position: bigint;
  readonly live: boolean;
  readonly json?: string;
  readonly key?: Readonly<Record<string, KeyValue>>;
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

/** The value of an indexed field as MongoDB stores it. */
export type KeyValue = string | number | boolean | null;

/** Encodes a document for MongoDB. Throws `TypeError` if an indexed field holds another type. */
export const toReadModelDocument = (
  { indexes }: CollectionSpec,
  { id, position, document }: StoredDocument,
): ReadModelDocument => {
  const base = { _id: id, position: BigInt(position) };
  if (document === null) return { ...base, live: false };
  const fields = new Set(indexes.flatMap(({ fields: of }) => of));
  return {
    ...base,
    live: true,
    json: JSON.stringify(document),
    key: Object.fromEntries([...fields].map((field) => [field, toKey(document[field], field)])),
  };
};

export const toReadModelChange = (
  spec: CollectionSpec,
  changed: ChangedDocument,
): ReadModelChange => ({
  document: toReadModelDocument(spec, changed),
  read: changed.readPosition === undefined ? undefined : BigInt(changed.readPosition),
});

export const toStored = ({ _id, position, json }: ReadModelDocument): StoredDocument => ({
  id: _id,
  position: fromInteger(position),
  document: json === undefined ? null : toDocument(json),
});

export const toDocument = (json: string): Document => JSON.parse(json) as Document;

/** A position from the integer that MongoDB stores. Throws `TypeError` if it is none. */
export const fromInteger = (integer: bigint): Position => {
  const position = toPosition(integer.toString());
  if (position === undefined) throw new TypeError(`${integer} is not a position`);
  return position;
};

/** Converts the value of an indexed field; a missing field becomes null. */
const toKey = (value: unknown, field: string): KeyValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new TypeError(
    `the indexed field ${field} holds neither text, a number, a boolean nor null`,
  );
};
