import type { Recorded } from '@refledger/contracts';
import type { Document, ProjectionSpec } from '@refledger/read-store';

/** Identifies a document that an event touches. */
export interface DocumentKey {
  readonly collection: string;
  readonly id: string;
  /** The event is the first that can touch this document, so there is none to load. */
  readonly begins?: boolean;
}

/**
 * A read model as a pure function of the log. Raise `version` whenever the same events would
 * produce other documents, collections or indexes: the projector then fills new collections beside
 * the old ones.
 */
export interface Projection extends ProjectionSpec {
  /** The documents that this event touches; usually none. */
  keysOf(event: Recorded): readonly DocumentKey[];
  /**
   * The document after the event. Null deletes the document permanently; undefined changes nothing.
   * Called once per event, in the log's order, and never for a deleted document.
   */
  evolve(
    document: Document | undefined,
    event: Recorded,
    key: DocumentKey,
  ): Document | null | undefined;
  /**
   * Earlier versions that this release still keeps, each by its own code, and reads until this
   * version is built.
   */
  readonly older?: readonly Projection[];
}

/** A projection whose earlier versions are kept and read until its own documents are built. */
export const withOlder = (projection: Projection, older: readonly Projection[]): Projection => ({
  ...projection,
  older,
  reads: older.map(({ version }) => version),
});
