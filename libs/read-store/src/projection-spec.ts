export interface IndexSpec {
  /** Fields: those with equality filters first, then the keyset order. Never unique. */
  readonly fields: readonly string[];
  /** Fields before the order with few values (status, currency); queries may leave them open. */
  readonly lowCardinality?: readonly string[];
  /**
   * Fields that most documents lack, none of them low-cardinality. The index omits a document
   * in which one is null, so such a document costs it nothing. It serves only queries that filter
   * each of these fields by a value.
   */
  readonly sparse?: readonly string[];
  /**
   * A field before the order whose value is a list of texts: a document is found by each of them.
   * The index serves only queries that filter this field by one text, and no other index does. A
   * collection has at most one such field, in one index, which has no low-cardinality fields.
   */
  readonly multikey?: string;
}

/** An index with a multikey field. */
export type MultikeyIndex = IndexSpec & { readonly multikey: string };

/** The collection's index with a multikey field; undefined if it has none. */
export const multikeyIndexOf = ({ indexes }: CollectionSpec): MultikeyIndex | undefined =>
  indexes.find((index): index is MultikeyIndex => index.multikey !== undefined);

/** Documents of a projection, by id. Queries can filter and order only by fields of an index. */
export interface CollectionSpec {
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
}

/** The part of a projection that the store knows. A new `version` gets new collections. */
export interface ProjectionSpec {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly CollectionSpec[];
  /** Older versions that this release can still read while the new documents are built. */
  readonly reads?: readonly number[];
}
