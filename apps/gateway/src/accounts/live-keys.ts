import { timingSafeEqual } from 'node:crypto';
import type { AccountId, KeyId, StreamName } from '@refledger/contracts';
import { decodeEvent, type LoggedEvent } from '@refledger/event-log';
import type { Caller } from '../http/caller.js';

interface LiveKey {
  readonly caller: Caller;
  readonly digest: Buffer;
}

/**
 * The live keys of all accounts, by their hash. A revoked key leaves nothing behind: of each
 * stream only the last revision is kept, so an event that comes again is left aside.
 */
export class LiveKeys {
  private readonly byHash = new Map<string, LiveKey>();
  private readonly hashes = new Map<KeyId, string>();
  private readonly revisions = new Map<StreamName, number>();

  get size(): number {
    return this.byHash.size;
  }

  /** The caller of the live key with this SHA-256 (hex). */
  find(hash: string): Caller | undefined {
    const found = this.byHash.get(hash);
    if (found === undefined) return undefined;
    return timingSafeEqual(found.digest, Buffer.from(hash, 'hex')) ? found.caller : undefined;
  }

  /** The first revision of a stream that has not been taken in. */
  nextRevision(stream: StreamName): number {
    return (this.revisions.get(stream) ?? -1) + 1;
  }

  /** Takes in an event of a keys stream. Throws when it can't be read, and then is past it. */
  take(logged: LoggedEvent): void {
    if (logged.revision < this.nextRevision(logged.stream)) return;
    this.revisions.set(logged.stream, logged.revision);
    const event = decodeEvent(logged);
    if (event.type === 'key.revoked') this.remove(event.data.key_id);
    if (event.type !== 'key.created') return;
    const { key_id: keyId, scope, hash } = event.data;
    const accountId = event.metadata.account_id as AccountId;
    this.byHash.set(hash, { caller: { accountId, keyId, scope }, digest: Buffer.from(hash, 'hex') });
    this.hashes.set(keyId, hash);
  }

  private remove(id: KeyId): void {
    const hash = this.hashes.get(id);
    if (hash === undefined) return;
    this.hashes.delete(id);
    this.byHash.delete(hash);
  }
}
