import { timingSafeEqual } from 'node:crypto';
import {
  accountOf,
  streams,
  type AccountId,
  type KeyId,
  type StreamName,
  type Scope,
} from '@refledger/contracts';
import { apiKeysDecider, metaOf, type ApiKey, type ApiKeysState } from '@refledger/domain';
import type { Snapshot, Reader } from '@refledger/application';
import { decodeEvent, type LoggedEvent } from '@refledger/event-log';

/** The key that a request was sent with, and the account that the key belongs to. */
export interface Caller extends Reader {
  readonly scope: Scope;
}

/** The caller that a key belongs to, unless the key has expired. */
export type KeyOwner = Caller | 'expired';

interface LiveKey {
  readonly caller: Caller;
  readonly hash: string;
  /** Milliseconds since 1970; infinite for a key that does not expire. */
  readonly expiresAt: number;
}

/**
 * A stream as far as it was read. `isComplete` is false after an event that cannot be read: no
 * command can then be decided from this state.
 */
interface FollowedStream extends Snapshot<ApiKeysState> {
  readonly isComplete: boolean;
}

/**
 * The live keys of all accounts by their hash, and the latest state of each account's stream.
 * Revoked keys are not kept: an event that arrives twice is recognized by its revision.
 */
export class LiveKeys {
  private readonly byHash = new Map<string, LiveKey>();
  private readonly streams = new Map<StreamName, FollowedStream>();

  get size(): number {
    return this.byHash.size;
  }

  /** The owner of the live key with this SHA-256 (hex), at this time (milliseconds since 1970). */
  find(hash: string, now: number): KeyOwner | undefined {
    const found = this.byHash.get(hash);
    if (found === undefined) return undefined;
    const [live, asked] = [Buffer.from(found.hash, 'hex'), Buffer.from(hash, 'hex')];
    if (!timingSafeEqual(live, asked)) return undefined;
    return now < found.expiresAt ? found.caller : 'expired';
  }

  nameOf(account: AccountId, key: KeyId): string | undefined {
    return this.streams.get(streams.keys(account))?.state.live.get(key)?.name;
  }

  /** The revision of the next event to take from a stream. */
  nextRevision(stream: StreamName): number {
    return (this.streams.get(stream)?.revision ?? -1) + 1;
  }

  /** The latest state of a stream; undefined if any of its events cannot be read. */
  snapshot(stream: StreamName): Snapshot<ApiKeysState> | undefined {
    const followed = this.streams.get(stream);
    return followed?.isComplete === true ? followed : undefined;
  }

  /** Sets the state that later events of a stream are applied to. */
  restore(stream: StreamName, snapshot: Snapshot<ApiKeysState>): void {
    this.streams.set(stream, { ...snapshot, isComplete: true });
    const { accountId, state } = snapshot;
    if (accountId === undefined) throw new TypeError(`no account owns ${stream}`);
    for (const [id, key] of state.live) this.add(accountId, id, key);
  }

  /** Applies an event of a stream of keys. Throws if it cannot be read; it then counts as taken. */
  apply(logged: LoggedEvent): void {
    const { stream, revision, position, id: lastEventId, metadata } = logged;
    if (revision < this.nextRevision(stream)) return;
    const { state, isComplete } = this.streams.get(stream) ?? {
      state: apiKeysDecider.initial,
      isComplete: true,
    };
    const followed = {
      accountId: metadata.account_id ?? undefined,
      revision,
      position,
      recordedAt: metadata.recorded_at,
      lastEventId,
    };
    this.streams.set(stream, { ...followed, state, isComplete: false });
    const event = decodeEvent(logged);
    if (event.type !== 'key.created' && event.type !== 'key.revoked') return;
    const { key_id } = event.data;
    const before = state.live.get(key_id);
    if (before !== undefined) this.byHash.delete(before.hash);
    const after = apiKeysDecider.evolve(state, event, metaOf(event));
    const key = after.live.get(key_id);
    if (key !== undefined) this.add(accountOf(event), key_id, key);
    this.streams.set(stream, { ...followed, state: after, isComplete });
  }

  private add(accountId: AccountId, keyId: KeyId, { scope, hash, expires_at }: ApiKey): void {
    const expiresAt = expires_at === null ? Infinity : Date.parse(expires_at);
    this.byHash.set(hash, { caller: { accountId, keyId, scope }, hash, expiresAt });
  }
}
