import type { Position } from '@refledger/contracts';
import { fromJson, toJson, toPosition } from '@refledger/contracts/values';

/**
 * A document of a read model. `record` is what the API shows; it is stored as a separate string, so
 * that lists pass it on unchanged. The other fields are internal. A filter or an order refers to
 * the internal field of that name or, if there is none, the record's. Values of indexed fields are
 * text, numbers, booleans or null; the value of a multikey field is a list of texts.
 */
export type Document = Readonly<Record<string, unknown>> & {
  readonly record?: Readonly<Record<string, unknown>>;
};

/**
 * The strings that engines store for a document: the JSON of its record, if it has one, and of its
 * other fields. A tombstone has neither.
 */
export interface DocumentText {
  readonly record?: string | null;
  readonly internal?: string | null;
}

/** Returns the strings to store for a document. */
export const textOf = ({ record, ...internal }: Document) => ({
  record: record === undefined ? null : toJson(record),
  internal: JSON.stringify(internal),
});

/** Returns the document with these strings; undefined for a tombstone. */
export const documentIn = ({ record, internal }: DocumentText): Document | undefined => {
  if (typeof internal !== 'string') return undefined;
  const fields = JSON.parse(internal) as Document;
  return typeof record === 'string'
    ? { ...fields, record: fromJson(record) as NonNullable<Document['record']> }
    : fields;
};

/** The value of a field that a query may name: an internal field, otherwise the record's. */
export const fieldOf = (document: Document, field: string): unknown =>
  field in document ? document[field] : document.record?.[field];

/** The value of an indexed field. */
export type KeyValue = string | number | boolean | null;

/** Checks the value of an indexed field; a missing field becomes null. */
export const toKey = (value: unknown, field: string): KeyValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new TypeError(`the indexed field ${field} is neither text, a number, a boolean nor null`);
};

/** The texts of a multikey field, each once; none if the document lacks the field. */
export const toTexts = (value: unknown, field: string): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((text) => typeof text === 'string'))
    return [...new Set<string>(value)];
  throw new TypeError(`the multikey field ${field} is not a list of texts`);
};

/** A position from the 64-bit integer that a store keeps. Throws `TypeError` if it is not one. */
export const fromInteger = (integer: string | bigint): Position => {
  const position = toPosition(String(integer));
  if (position === undefined) throw new TypeError(`${integer} is not a position`);
  return position;
};

/** Names become part of SQL or of paths, so only plain names are allowed. */
export const plain = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9_]*$/.test(text))
    throw new TypeError(
      `${JSON.stringify(text)} is not a valid name in the read store. Use lower-case letters, digits and _ only.`,
    );
  return text;
};
