import type { AccountId, AffiliateId, Checkpoint, EventId, Position } from '@refledger/contracts';

/** Whose key it is. The ids of affiliates and of accounts are unique across all accounts. */
export type KeyOwner = AffiliateId | AccountId;

/** The event that erased an affiliate, and when its key was destroyed (RFC 3339). */
export interface Erasure {
  readonly eventId: EventId;
  readonly position: Position;
  readonly erasedAt: string;
}

/**
 * An owner's wrapped key, or how it was destroyed. A key that damage to the store has taken is the empty
 * text (`lostKey`), which opens nothing: it is neither unknown nor erased.
 */
export type StoredKey =
  { readonly kind: 'key'; readonly key: string } | ({ readonly kind: 'erased' } & Erasure);

export const lostKey = '';

/** A row of the store. */
export type KeyRow = {
  readonly owner: KeyOwner;
  readonly accountId: AccountId;
  /**
   * The claims that were put with the key, in order of their names, without forgotten ones. None once
   * it is erased.
   */
  readonly claims: readonly string[];
  /** The time of the latest put; null once the key is erased. */
  readonly putAt: string | null;
} & StoredKey;

/** How many owners have a key, and how many were erased. */
export interface KeyCounts {
  readonly keys: number;
  readonly erased: number;
}

/** A key for an owner that may have none yet. */
export interface NewKey {
  readonly accountId: AccountId;
  /** The wrapped key. The store never sees a bare one. */
  readonly key: string;
  /** The name of the claim's stream that the append of this command will need. */
  readonly claim: string | null;
  /** The time of the command (RFC 3339 in UTC with milliseconds). */
  readonly at: string;
}

/** What readers see. Every `put` and `destroy` that has resolved in any process is visible. */
export interface KeyReader {
  /** Created with the store: a different id means a different store. */
  readonly id: string;
  /** What is stored for these owners. An owner that is missing is unknown, which is not erased. */
  getMany(owners: readonly KeyOwner[]): Promise<ReadonlyMap<KeyOwner, StoredKey>>;
  /**
   * All rows in order of their owners, in pages, starting after an owner. A row that changes during
   * the scan may be shown as before or as after.
   */
  scan(after?: KeyOwner): AsyncIterable<readonly KeyRow[]>;
  /**
   * The rows with claims whose latest put was before a time, like `scan`. The cost depends on how many
   * rows have claims, and not on how many there are.
   */
  scanClaimed(putBefore: string): AsyncIterable<readonly KeyRow[]>;
  /** Takes a moment, however many rows there are. May be inexact after a crash of the server. */
  counts(): Promise<KeyCounts>;
  /** Up to where the erasures of the log were applied; undefined before the first time. */
  checkpoint(): Promise<Checkpoint | undefined>;
  close(): Promise<void>;
}

/**
 * The port for storing the wrapped keys of personal data. Every method resolves once its change is
 * durable, or rejects with a `KeyStoreError`. A row is never removed. Several processes may share
 * one store.
 */
export interface KeyStore extends KeyReader {
  /**
   * Stores the key if the owner has no row, adds the claim to the row, and returns the stored key.
   * If the owner is erased, changes nothing and returns that. Of concurrent puts, one key is stored
   * and all return it.
   */
  put(owner: KeyOwner, key: NewKey): Promise<StoredKey>;
  /**
   * Makes the affiliate's row erased, permanently, also if there was none. Repeating it keeps the
   * first erasure. Once it resolves, no file of the store holds the key. Rejects with `unavailable`
   * if the row is erased but a file may still hold the key: the store then goes on removing it.
   */
  destroy(
    affiliate: AffiliateId,
    erasure: Erasure & { readonly accountId: AccountId },
  ): Promise<void>;
  /**
   * Replaces a wrapped key if it still is `from`, which vanishes as in `destroy`. Resolves to
   * whether it was replaced.
   */
  rewrap(owner: KeyOwner, from: string, to: string): Promise<boolean>;
  /** Removes claims from an owner's row, unless the owner was put after `putAt`, that of the row. */
  forgetClaims(owner: KeyOwner, claims: readonly string[], putAt: string): Promise<void>;
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

/**
 * There is no store (`absent`), or it can't be used now (`unavailable`), can't be used as it is
 * (`unusable`: foreign, from a newer release, or not writable), or is corrupt (`damaged`). The
 * message names the file or the collection.
 */
export class KeyStoreError extends Error {
  constructor(
    readonly kind: 'absent' | 'unavailable' | 'unusable' | 'damaged',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'KeyStoreError';
  }
}
