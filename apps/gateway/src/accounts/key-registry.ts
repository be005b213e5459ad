import { timingSafeEqual } from 'node:crypto';
import { streams, type AccountId, type Position, type Recorded } from '@refledger/contracts';
import { backoffMs, decodeEvent, pause, type EventLog, type LoggedEvent } from '@refledger/event-log';
import type { Logger } from '@refledger/platform';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../http/caller.js';
import { accountOfApiKey, hashOfApiKey } from './api-key.js';

interface KnownKey {
  readonly caller: Caller;
  readonly digest: Buffer;
}

/**
 * All live keys, by their hash. Follows the key events of the log, so that a key revoked anywhere is refused here at once;
 * a key that it doesn't know yet costs one read of the stream of the account that the key names.
 */
export class KeyRegistry {
  private readonly live = new Map<string, KnownKey>();
  private readonly revoked = new Set<string>();
  private readonly unknown = new LRUCache<string, true>({ max: 10_000, ttl: 1_000 });
  private readonly ending = new AbortController();
  private following: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: EventLog,
    private readonly logger: Logger,
  ) {}

  /** Learns all keys there are, then goes on following. */
  async start(): Promise<void> {
    let reached: Position | undefined;
    for await (const { events, through } of this.log.readAll({ prefix: streams.allKeys })) {
      events.forEach((event) => this.apply(event));
      reached = through;
    }
    this.following = this.follow(reached);
  }

  /** The caller of a key that is known here already. */
  known(key: string): Caller | undefined {
    const hash = hashOfApiKey(key);
    const found = this.live.get(hash);
    return found !== undefined && timingSafeEqual(found.digest, Buffer.from(hash, 'hex')) ? found.caller : undefined;
  }

  /** The caller of a key that may be too new to be known: looks into the stream of its account, once a second and key at most. */
  async find(key: string): Promise<Caller | undefined> {
    const hash = hashOfApiKey(key);
    if (this.unknown.has(hash)) return undefined;
    await this.refresh(accountOfApiKey(key));
    const caller = this.known(key);
    if (caller === undefined) this.unknown.set(hash, true);
    return caller;
  }

  /** Reads the keys of an account again: what was just changed here holds at once. */
  async refresh(account: AccountId): Promise<void> {
    for await (const batch of this.log.readStream(streams.keys(account))) batch.forEach((event) => this.apply(event));
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.following;
  }

  private async follow(from: Position | undefined): Promise<void> {
    const { signal } = this.ending;
    for (let reached = from, failures = 0; !signal.aborted; ) {
      try {
        for await (const { events, through } of this.log.subscribe({ after: reached, prefix: streams.allKeys, signal })) {
          events.forEach((event) => this.apply(event));
          reached = through;
          failures = 0;
        }
      } catch (error) {
        this.logger.error({ err: error }, 'following the API keys was interrupted; trying again');
        await pause(backoffMs(++failures, Math.random()), signal);
      }
    }
  }

  /** Events may come more than once and a revocation holds for ever, so their order among repeats doesn't matter. */
  private apply(logged: LoggedEvent): void {
    const event: Recorded = decodeEvent(logged);
    if (event.type === 'key.revoked') {
      this.revoked.add(event.data.key_id);
      for (const [hash, { caller }] of this.live) if (caller.keyId === event.data.key_id) this.live.delete(hash);
    }
    if (event.type !== 'key.created' || this.revoked.has(event.data.key_id)) return;
    const { key_id: keyId, scope, hash } = event.data;
    const accountId = event.metadata.account_id as AccountId;
    this.live.set(hash, { caller: { accountId, keyId, scope }, digest: Buffer.from(hash, 'hex') });
    this.unknown.delete(hash);
  }
}
