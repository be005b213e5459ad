import {
  isEventOf,
  type AccountId,
  type AggregateKind,
  type EventIn,
  type ListSpec,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document, IndexSpec, ProjectionSpec } from '@refledger/read-store';

/** Identifies a document that an event touches. */
export interface DocumentKey {
  readonly collection: string;
  readonly id: string;
  /** The event is the first that can touch this document, so there is none to load. */
  readonly begins?: boolean;
  /** Once this document exists, no event changes it. */
  readonly isFinal?: boolean;
}

/**
 * A read model as a pure function of the log. Raise `version` whenever the same events would
 * produce other documents, collections or indexes: the projector then fills new collections beside
 * the old ones.
 */
export interface Projection<
  D extends Document = Document,
  E extends EventIn<AggregateKind> = EventIn<AggregateKind>,
> extends ProjectionSpec {
  /** The documents that this event touches; usually none. */
  keysOf(event: RecordedEvent<E>): readonly DocumentKey[];
  /**
   * The document after the event. Null deletes the document permanently; undefined changes nothing.
   * Called once per event, in the log's order, and never for a deleted document.
   */
  evolve(document: D | undefined, event: RecordedEvent<E>, key: DocumentKey): D | null | undefined;
  /**
   * Completes the documents that a batch has changed, before they are saved, with what the events
   * alone do not say. Undefined deletes the document permanently. A projection that has this is
   * maintained apart from the others, which go on while it fails.
   */
  complete?(documents: readonly D[]): Promise<readonly (D | undefined)[]>;
  /**
   * The start of the names of all streams whose events it folds. A group of such projections decodes
   * no other events.
   */
  readonly prefix?: string;
  /**
   * The documents depend on log time. Events that an operator takes out of log time are not shown
   * to the projection, which is rebuilt after that decision.
   */
  readonly followsLogTime?: true;
  /**
   * Earlier versions that this release still maintains, each with its own code. Reads use them
   * until this version is built.
   */
  readonly older?: readonly Projection[];
}

/** A record of an account, as the API lists it. */
export interface RecordDocument<R extends NonNullable<Document['record']>> extends Document {
  readonly account_id: AccountId;
  readonly record: R;
}

/** A projection that folds only the events of these aggregates, into documents of its own type. */
export const projectionOf = <A extends AggregateKind, D extends Document>(
  aggregates: readonly A[],
  own: Projection<D, EventIn<A>>,
): Projection => {
  // every stored document of a projection is one that it returned
  const projection: Projection<Document, EventIn<A>> = own;
  const isOwn = (event: RecordedEvent): event is RecordedEvent<EventIn<A>> =>
    aggregates.some((aggregate) => isEventOf(aggregate, event));
  return {
    ...projection,
    keysOf: (event) => (isOwn(event) ? projection.keysOf(event) : []),
    evolve: (document, event, key) =>
      isOwn(event) ? projection.evolve(document, event, key) : undefined,
  };
};

/** A projection whose earlier versions are kept and read until its own documents are built. */
export const withEarlierVersions = (
  projection: Projection,
  older: readonly Projection[],
): Projection => ({ ...projection, older, reads: older.map(({ version }) => version) });

/**
 * An index for a list of the API: by account, then by these fields, in the order of the list. It
 * also serves lists that leave any of the low-cardinality fields open. It serves only lists that
 * filter by each of the sparse fields. If several indexes serve a query equally well, the first
 * wins, so declare the most selective first.
 */
export const listedBy = (
  fields: readonly string[],
  { lowCardinality = [], sparse = [] }: Pick<IndexSpec, 'lowCardinality' | 'sparse'> = {},
  order: readonly string[] = ['created_at', 'id'],
): IndexSpec => ({
  fields: ['account_id', ...fields, ...lowCardinality, ...order],
  ...(lowCardinality.length > 0 && { lowCardinality }),
  ...(sparse.length > 0 && { sparse }),
});

export const indexesOf = ({ indexes, order }: ListSpec): readonly IndexSpec[] =>
  indexes.map(({ by, ...rest }) => listedBy(by, rest, order));
