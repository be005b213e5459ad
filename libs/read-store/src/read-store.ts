import type { Checkpoint, KeyId, LogId, Position } from '@refledger/contracts';
import type { Document } from './document.js';
import type { ProjectionSpec } from './projection-spec.js';

export type { CollectionSpec, IndexSpec, ProjectionSpec } from './projection-spec.js';
export type { Document };

/** One fill of a projection's collections from the start of a log. A rebuild creates another. */
export interface Build {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly logId: LogId;
  readonly state: 'building' | 'live';
  readonly checkpoint: Checkpoint | undefined;
}

/** A document and the position of the last event folded into it; null means a tombstone. */
export interface StoredDocument {
  readonly id: string;
  readonly position: Position;
  readonly document: Document | null;
}

export interface ChangedDocument extends StoredDocument {
  /** The position of the stored document that it was made from; undefined if there was none. */
  readonly readPosition: Position | undefined;
}

/** The positions of documents that were read, by id; undefined if there was none. */
export type ReadPositions = ReadonlyMap<string, Position | undefined>;

/** The changes of one batch to one build. The checkpoint is never durable before them. */
export interface BuildChanges {
  readonly build: Build;
  readonly documents: ReadonlyMap<string, readonly ChangedDocument[]>;
  /**
   * Documents that the events leave unchanged. The save is stale if one of them is no longer stored
   * as it was read.
   */
  readonly unchanged?: ReadonlyMap<string, ReadPositions>;
  readonly checkpoint: Checkpoint;
}

export type Filter =
  | { readonly field: string; readonly equals: string | number | boolean | null }
  | { readonly field: string; readonly after?: string | number; readonly before?: string | number };

export interface Query {
  readonly where: readonly Filter[];
  /** Orders by these fields in one direction. The last one must make the order total (an id). */
  readonly order: { readonly fields: readonly string[]; readonly descending: boolean };
  /** Only documents after these values of the order's fields. */
  readonly after?: readonly (string | number)[];
  /** 1 to 1000. */
  readonly limit: number;
  /**
   * Looks up one document by id. The query needs no index, but each field must be in one, and none
   * is a multikey field.
   */
  readonly id?: string;
}

/** Records as text, one per line as `JSON.stringify` wrote it, to pass on without parsing. */
export interface JsonLines {
  readonly count: number;
  /** Lines are separated by a newline, which the text of a record never contains. */
  readonly text: string;
}

/** A result and the position that it reflects: it includes at least every event up to there. */
export interface ReadResult<T> {
  readonly value: T;
  readonly position: Position | undefined;
}

export interface LeaseRequest {
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
}

/** When API keys were last used, as instants (RFC 3339 in UTC, with milliseconds). */
export type KeyUses = ReadonlyMap<KeyId, string>;

/** Some documents of a collection, and the checkpoint of its build when the scan started. */
export interface ScanPage {
  readonly documents: readonly StoredDocument[];
  readonly checkpoint: Checkpoint | undefined;
}

interface ReadStoreCapabilities {
  /** `scan` shows one instant. If not, it may show or miss changes made since it started. */
  readonly instantScans: boolean;
  /** Several processes may write: a lease picks one. If not, one process holds every lease. */
  readonly leases: boolean;
}

/**
 * Where read models live. Saves are guarded: a document changes only from the position that was
 * read to a later one, and a checkpoint only rises. So concurrent writers and outdated copies do no
 * harm. The suite `@refledger/read-store/conformance` tests every adapter.
 */
export interface ReadStore {
  readonly capabilities: ReadStoreCapabilities;

  /** Every build of a projection, newest last. */
  builds(projection: string): Promise<readonly Build[]>;
  /**
   * Creates a build with its collections and indexes. While it exists, the same projection,
   * version, log and `cause` (why it is needed) return it, so two callers create only one.
   */
  createBuild(projection: ProjectionSpec, logId: LogId, cause: string): Promise<Build>;
  /**
   * Makes reads use this build. Idempotent. False, without effect, while a live build for this log,
   * of this or an earlier version, is further ahead: reads would go back. Throws
   * `BuildNotFoundError`.
   */
  goLive(build: Build): Promise<boolean>;
  /** Removes a build with its collections. Idempotent. */
  dropBuild(build: Build): Promise<void>;

  /**
   * Loads documents by id, each once: includes tombstones, omits missing ones. Throws
   * `BuildNotFoundError`.
   */
  load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]>;
  /**
   * Saves what the guards let through: all or nothing, or, for builds that no one reads yet and in
   * engines without transactions, in parts with the checkpoints last. False if a document was left
   * unchanged because it is stored at this position or a later one.
   *
   * Throws `StaleDocument` if a stored document is neither at the position that was read nor at the
   * new one or later, or if one that did not change is no longer at the position that was read.
   * Throws `BuildNotFoundError` if a build was dropped. Throws `ReadStoreError` of kind
   * `unstorable` if a document can never be stored (usually because it is too large). No checkpoint
   * rises after an error, except those of other builds after `BuildNotFoundError`.
   */
  save(changes: readonly BuildChanges[]): Promise<boolean>;
  /**
   * Yields the documents in order of id, without tombstones, each page with the checkpoint that the
   * build had when the scan started. Throws `BuildNotFoundError`.
   */
  scan(build: Build, collection: string): AsyncIterable<ScanPage>;

  /** One document by id from the readable build. Throws `ReadModelUnreadable`. */
  get(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<ReadResult<Document | undefined>>;
  /**
   * Queries the readable build. Throws `ReadModelUnreadable`, or `TypeError` if no index serves.
   */
  find(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<ReadResult<readonly Document[]>>;
  /** The records of the same documents as JSON text. Each of them must have a record. */
  findJson(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<ReadResult<JsonLines>>;
  /** True once the readable build has reached `position`; false on timeout or abort. */
  waitForPosition(
    projection: ProjectionSpec,
    logId: LogId,
    position: Position,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<boolean>;

  /**
   * Takes or renews a lease: true if the holder now has it, until `forMs` from now by the store's
   * clock. A lease only saves work, since two writers do no harm.
   */
  holdLease(lease: LeaseRequest): Promise<boolean>;
  /** Gives up the lease if the holder has it. */
  releaseLease(lease: Pick<LeaseRequest, 'name' | 'holder'>): Promise<void>;

  /**
   * Records when API keys were last used. Uses belong to no build, so rebuilds keep them. A
   * recorded time only rises. Also works on a store that is open for reading.
   */
  recordKeyUses(uses: KeyUses): Promise<void>;
  /** When these keys were last used. Keys without a recorded use are omitted. */
  keyUses(ids: readonly KeyId[]): Promise<KeyUses>;

  close(): Promise<void>;
}

/** This release cannot read any build for this log yet. `progress` is that of the new build. */
export class ReadModelUnreadable extends Error {
  constructor(
    readonly projection: string,
    readonly progress: Position | undefined,
  ) {
    super(
      `the read model ${projection} is being built${progress === undefined ? '' : ` (at position ${progress})`}`,
    );
    this.name = 'ReadModelUnreadable';
  }
}

/** The build was dropped, by another writer or for a later live build: look at builds again. */
export class BuildNotFoundError extends Error {
  constructor(readonly build: Pick<Build, 'id' | 'projection'>) {
    super(`build ${build.id} of read model ${build.projection} no longer exists`);
    this.name = 'BuildNotFoundError';
  }
}

/**
 * A document was changed, or left unchanged, from a copy that is not the stored one: load it and
 * fold again. No checkpoint was raised; other documents of the save may be stored.
 */
export class StaleDocument extends Error {
  constructor(
    readonly build: Pick<Build, 'id' | 'projection'>,
    readonly collection: string,
    readonly id: string,
  ) {
    super(
      `document ${id} of ${collection} (build ${build.id}) was made from a copy that is not the stored one`,
    );
    this.name = 'StaleDocument';
  }
}

/**
 * The store is unavailable or unusable (corrupt, foreign, read-only), or a document is unstorable.
 */
export class ReadStoreError extends Error {
  constructor(
    readonly kind: 'unavailable' | 'unusable' | 'unstorable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ReadStoreError';
  }
}
