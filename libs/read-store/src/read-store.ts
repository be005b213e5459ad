import type { Checkpoint, LogId, Position } from '@refledger/contracts';

/** A document of a read model. Values of indexed fields are text, numbers, booleans or null. */
export type Document = Readonly<Record<string, unknown>>;

export interface IndexSpec {
  /** Top-level fields, equality first, then the keyset order. Never unique. */
  readonly fields: readonly string[];
  /** Those before the order that have few values (a status, a currency): the index also serves queries that don't filter by them. */
  readonly lowCardinality?: readonly string[];
}

/** A collection of a projection: documents by id. Only fields of an index can be filtered or ordered by. */
export interface CollectionSpec {
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
}

/** What the store needs to know of a projection. A change of `version` makes new collections. */
export interface ProjectionSpec {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly CollectionSpec[];
  /** Older versions whose documents this release can still read while the new ones are built. */
  readonly reads?: readonly number[];
}

/** One filling of a projection's collections from the beginning of a log. A rebuild makes a new one beside the old. */
export interface Build {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly logId: LogId;
  readonly state: 'building' | 'live';
  readonly checkpoint: Checkpoint | undefined;
}

/** A document with the position of the last event folded into it; `document` null is a tombstone. */
export interface StoredDocument {
  readonly id: string;
  readonly position: Position;
  readonly document: Document | null;
}

/** A document to be saved. */
export interface ChangedDocument extends StoredDocument {
  /** The position of the stored document that it was made of; undefined: there was none. */
  readonly readPosition: Position | undefined;
}

/** Ids of documents that were read, each with its position; undefined: there was none. */
export type ReadPositions = ReadonlyMap<string, Position | undefined>;

/** What one batch of events made of one build. Documents saved and checkpoint are durable together, or the checkpoint comes after. */
export interface BuildChanges {
  readonly build: Build;
  readonly documents: ReadonlyMap<string, readonly ChangedDocument[]>;
  /** Documents that the events leave as they are, which would be wrong of another copy. */
  readonly unchanged?: ReadonlyMap<string, ReadPositions>;
  readonly checkpoint: Checkpoint;
}

export type Filter =
  | { readonly field: string; readonly equals: string | number | boolean | null }
  | { readonly field: string; readonly after?: string | number; readonly before?: string | number };

export interface Query {
  readonly where: readonly Filter[];
  /** Order by these fields, all in one direction; the last must make it total (an id). */
  readonly order: { readonly fields: readonly string[]; readonly descending: boolean };
  /** Only what comes after these values of the order's fields. */
  readonly after?: readonly (string | number)[];
  /** 1 to 1000. */
  readonly limit: number;
  /** Only the document of this id, looked up by it: then no index need serve the filters and the order, but their fields must be in one. */
  readonly id?: string;
}

/** Documents, each as the text that `JSON.stringify` made of it, one a line: to be handed on without being understood. */
export interface JsonLines {
  readonly count: number;
  /** Lines are divided by a newline, which no such text holds. */
  readonly text: string;
}

/** An answer, and the position that it reflects at least: every event up to there is in it. */
export interface Found<T> {
  readonly value: T;
  readonly position: Position | undefined;
}

export interface LeaseRequest {
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
}

/** Who waits, by `reached`, for what is not there yet. */
export interface WaiterSignal {
  /** How often somebody was seen to wait. */
  readonly count: number;
  /** Resolves once the count has moved on from `since`, or when the time is up. */
  wait(options: { readonly since: number; readonly timeoutMs: number }): Promise<unknown>;
}

/** What an engine may be unable to do. */
export interface ReadStoreCapabilities {
  /** `scan` shows one instant. Without it a document is as it was when its page was read: what changed since the scan began has a position beyond the checkpoint, or is gone. */
  readonly instantScans: boolean;
  /** Several processes may keep its read models, and a lease decides whose turn it is. Without it there is one, which holds every lease. */
  readonly leases: boolean;
}

/**
 * Where read models live. Saves are guarded: a document changes only from the position at which it was read, and to a
 * later one; a checkpoint only rises. So two writers at once do no harm, nor does a copy that is out of date. One suite (`@refledger/read-store/conformance`) holds every adapter to this.
 */
export interface ReadStore {
  readonly capabilities: ReadStoreCapabilities;
  /** A capability: there where who waits is seen at once, in whatever thread. Its writer then need not save before somebody does. */
  readonly waiterSignal?: WaiterSignal;

  /** Every build of a projection, newest last. */
  builds(projection: string): Promise<readonly Build[]>;
  /**
   * Makes the collections and indexes of a new build. `cause` says why there is one; the same projection, version, log and cause again
   * answer the same build for as long as it is there, so two who decide the same make one.
   */
  createBuild(projection: ProjectionSpec, logId: LogId, cause: string): Promise<Build>;
  /**
   * From now on reads of the projection use this build. Idempotent. Does nothing and answers false while a live build of the projection for
   * this log (of this version or an earlier one) has come further, since reads would go back. Throws `BuildGone`.
   */
  goLive(build: Build): Promise<boolean>;
  /** Removes a build with its collections. Idempotent. */
  dropBuild(build: Build): Promise<void>;

  /** The stored documents (tombstones too) of these ids; those that are not there are left out. Throws `BuildGone`. */
  load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]>;
  /**
   * Saves what the guards let through: all or nothing, or, of builds that nobody reads yet and by engines without transactions, in parts and the
   * checkpoints last. False when a document was left as it is, since it is stored at this position or a later one already: saved before, or by another writer.
   * Throws `StaleDocument` when another position than the one that was read is stored, and an earlier one than the new, or any other of a document that was left unchanged (then no checkpoint is raised), `BuildGone` (then its checkpoint isn't raised),
   * and a `ReadStoreError` of kind `unstorable` when some document can never be stored (then no checkpoint is raised).
   */
  save(changes: readonly BuildChanges[]): Promise<boolean>;
  /** Every document of a collection by id, tombstones left out, as of one instant if it can, and the checkpoint of that instant, or else of the beginning. Throws `BuildGone`. */
  scan(
    build: Build,
    collection: string,
  ): AsyncIterable<{
    readonly documents: readonly StoredDocument[];
    readonly checkpoint: Checkpoint | undefined;
  }>;

  /** One document by id from the projection's readable build. Throws `ReadModelUnreadable`. */
  get(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>>;
  /** Documents from the projection's readable build. Throws `ReadModelUnreadable`, and `TypeError` when no declared index serves the query. */
  find(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>>;
  /** The same as text. */
  findJson(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>>;
  /** True once the projection's readable build has reached `position`; false when `timeoutMs` passed or `signal` aborted before. */
  reached(
    projection: ProjectionSpec,
    logId: LogId,
    position: Position,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<boolean>;

  /**
   * Takes the lease of this name, or renews it: true while it is the holder's, until `forMs` from now by the store's own clock. A lease saves work
   * and nothing more, since two who save do no harm.
   */
  holdLease(lease: LeaseRequest): Promise<boolean>;
  /** Gives it up, if it is the holder's. */
  releaseLease(lease: Pick<LeaseRequest, 'name' | 'holder'>): Promise<void>;

  close(): Promise<void>;
}

/** No build of the projection can be read by this release for this log: one is being built (`progress`: its checkpoint) or will be. */
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

/** The build was dropped, by another writer or a later build going live: look again at what builds there are. */
export class BuildGone extends Error {
  constructor(readonly build: Pick<Build, 'id' | 'projection'>) {
    super(`the build ${build.id} of the read model ${build.projection} is no longer there`);
    this.name = 'BuildGone';
  }
}

/**
 * A document was changed, or left as it is, by a copy that is not the stored one: load it and fold again. Its events are not in the store,
 * so no checkpoint was raised; other documents of the save may be there.
 */
export class StaleDocument extends Error {
  constructor(
    readonly build: Pick<Build, 'id' | 'projection'>,
    readonly collection: string,
    readonly id: string,
  ) {
    super(
      `the document ${id} of ${collection} (build ${build.id}) was read from a copy that is not the stored one`,
    );
    this.name = 'StaleDocument';
  }
}

/** The store can't be used as it is (corrupt, foreign, not writable), or not now; or a document of a save can never be stored (`unstorable`: too large, mostly). */
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
