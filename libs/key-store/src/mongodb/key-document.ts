import type { AccountId, Checkpoint, EventId, Position } from '@refledger/contracts';
import { lostKey, type KeyOwner, type KeyRow, type StoredKey } from '../key-store.js';

/** The key of an owner, or its erasure. */
export type KeyDocument = ActiveKey | DestroyedKey;

interface ActiveKey {
  readonly _id: KeyOwner;
  readonly account_id: AccountId;
  /** Missing if the collection was damaged. */
  readonly key?: string;
  readonly claims?: readonly string[];
  readonly put_at: string;
  readonly erased_at?: never;
}

interface DestroyedKey {
  readonly _id: KeyOwner;
  readonly account_id: AccountId;
  readonly event_id: EventId;
  readonly position: Position;
  readonly erased_at: string;
}

/**
 * The store's id and checkpoint. They are among the keys, so that a lost collection is a missing
 * store.
 */
export interface StoreDocument {
  readonly _id: 'store';
  readonly format: number;
  readonly store_id: string;
  readonly checkpoint?: Checkpoint;
}

/** Erased rows are counted, and rows with claims are looked at. */
export const keyIndexes = [
  {
    name: 'erased',
    key: { erased_at: 1 },
    partialFilterExpression: { erased_at: { $exists: true } },
  },
  {
    name: 'claimed',
    key: { put_at: 1 },
    partialFilterExpression: { claims: { $exists: true } },
  },
] as const;

export const toStored = (document: KeyDocument): StoredKey =>
  document.erased_at === undefined
    ? { kind: 'key', key: document.key ?? lostKey }
    : {
        kind: 'erased',
        eventId: document.event_id,
        position: document.position,
        erasedAt: document.erased_at,
      };

export const toRow = (document: KeyDocument): KeyRow => ({
  owner: document._id,
  accountId: document.account_id,
  ...(document.erased_at === undefined
    ? { claims: [...(document.claims ?? [])].sort(), putAt: document.put_at }
    : { claims: [], putAt: null }),
  ...toStored(document),
});
