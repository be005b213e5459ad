import type { Recorded } from '@refledger/contracts';
import type { Document, ProjectionSpec } from '@refledger/read-store';

/** Which document of which collection an event touches. */
export interface DocumentKey {
  readonly collection: string;
  readonly id: string;
  /** The event is the first that can touch this document: there is none to be loaded. */
  readonly begins?: boolean;
}

/**
 * A read model as a pure function of the log. Raise `version` whenever the same events would give other documents,
 * collections or indexes: the collections are then filled anew beside the old ones.
 */
export interface Projection extends ProjectionSpec {
  /** The documents that this event touches; usually none. */
  keysOf(event: Recorded): readonly DocumentKey[];
  /**
   * The document after the event; null deletes it for good, undefined leaves everything as it was.
   * Never asked about a document that was deleted, and asked once for each event, in the log's order.
   */
  evolve(
    document: Document | undefined,
    event: Recorded,
    key: DocumentKey,
  ): Document | null | undefined;
  /** Earlier versions that this release still keeps, each by its own code, and reads until this one is built. */
  readonly older?: readonly Projection[];
}

/** A projection whose earlier versions go on being kept and read until its own documents are built. */
export const withOlder = (projection: Projection, older: readonly Projection[]): Projection => ({
  ...projection,
  older,
  reads: older.map(({ version }) => version),
});
