import {
  streams,
  type AccountId,
  type KeyId,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import type { ApiKeysState } from '@refledger/domain';
import { accountOfApiKey, hashOfApiKey, type Snapshot } from '@refledger/application';
import {
  backoffMs,
  isEventLogError,
  messageOf,
  sleepBeforeRetry,
  type EventLog,
  type LoggedEvent,
  type ProcessorLogger,
} from '@refledger/event-log';
import type { KeyNames } from '../history/shown-actor.js';
import { LiveKeys, type KeyOwner } from './live-keys.js';
import { RefreshLimit } from './refresh-limit.js';
import type { StoredKeys } from './restore-keys.js';

/** Shows whether the keys can be followed. */
export interface KeysHealth {
  report(health: { readonly part: string; readonly ready: boolean; readonly detail: string }): void;
}

export interface KeyRegistryParts {
  readonly log: Pick<EventLog, 'readAll' | 'readStream' | 'subscribe' | 'availability'>;
  readonly logger: Pick<ProcessorLogger, 'error'>;
  readonly health: KeysHealth;
  /**
   * Reads the stored keys and the position to follow from. Without it, or when it resolves with
   * undefined, the registry reads the log from the beginning.
   */
  readonly stored?: () => Promise<StoredKeys | undefined>;
  readonly limit?: RefreshLimit;
  /** By default the machine's clock. */
  readonly now?: () => number;
}

/**
 * Recognises API keys. It follows the key events of the log, so that this gateway soon rejects a
 * key that another gateway revoked. An unknown key may be newer than the events read so far: the
 * registry then reads the new events in the stream of the account that the key names.
 */
export class KeyRegistry implements KeyNames {
  private readonly keys = new LiveKeys();
  private readonly refreshes = new Map<AccountId, Promise<void>>();
  private readonly ending = new AbortController();
  private readonly limit: RefreshLimit;
  private readonly now: () => number;
  private following: Promise<void> = Promise.resolve();
  /** The reasons why the gateway is not ready. */
  private readonly failures: { unreadable?: string; interrupted?: string | undefined } = {};

  constructor(private readonly parts: KeyRegistryParts) {
    this.limit = parts.limit ?? new RefreshLimit();
    this.now = parts.now ?? Date.now;
  }

  /** Loads all existing keys, then follows the log in the background. */
  async start(): Promise<void> {
    const stored = await this.parts.stored?.();
    for (const [stream, snapshot] of stored?.streams ?? []) this.keys.restore(stream, snapshot);
    let position: Position | undefined = stored?.position;
    for await (const { events, through } of this.parts.log.readAll({
      after: position,
      prefix: streams.allKeys,
    })) {
      this.apply(events);
      position = through;
    }
    this.following = this.follow(position);
  }

  /** The owner of a key, if the registry knows the key already. */
  known(key: string): KeyOwner | undefined {
    return this.keys.find(hashOfApiKey(key), this.now());
  }

  /**
   * The owner of a key that may be too new to be known. Concurrent calls for an account share one
   * read of its stream, and `RefreshLimit` bounds how often streams are read. Beyond that limit the
   * key counts as unknown.
   */
  async find(key: string): Promise<KeyOwner | undefined> {
    const account = accountOfApiKey(key);
    await (this.refreshes.get(account) ?? this.startRefresh(account));
    return this.known(key);
  }

  /** The name of a live key of an account, as of the last event read. */
  nameOf(account: AccountId, key: KeyId): string | undefined {
    return this.keys.nameOf(account, key);
  }

  /** The state of a stream of keys as of the last event read, for commands on it. */
  snapshot(stream: StreamName): Promise<Snapshot<ApiKeysState> | undefined> {
    return Promise.resolve(this.keys.snapshot(stream));
  }

  /**
   * Reads the events after the last known one in an account's stream of keys, so that a change made
   * on this gateway takes effect immediately.
   */
  async refresh(account: AccountId): Promise<void> {
    const stream = streams.keys(account);
    for await (const events of this.parts.log.readStream(stream, {
      from: this.keys.nextRevision(stream),
    }))
      this.apply(events);
  }

  /** Stops following the log. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.following;
  }

  private startRefresh(account: AccountId): Promise<void> | undefined {
    if (!this.limit.tryStart(account)) return undefined;
    const refresh = this.refresh(account).finally(() => this.refreshes.delete(account));
    this.refreshes.set(account, refresh);
    return refresh;
  }

  private async follow(from: Position | undefined): Promise<void> {
    const { signal } = this.ending;
    for (let position = from, failures = 0; !signal.aborted;) {
      const recovery = this.parts.log.availability?.recovery;
      try {
        for await (const { events, through } of this.parts.log.subscribe({
          after: position,
          prefix: streams.allKeys,
          signal,
        })) {
          this.apply(events);
          position = through;
          failures = 0;
          this.resumed();
        }
      } catch (error) {
        this.parts.logger.error(
          { err: error },
          'the subscription to API keys was interrupted; retrying',
        );
        // The gateway reports an unavailable log itself. Any other error may hide revocations, so
        // report it.
        if (!isEventLogError(error, 'unavailable'))
          this.report({ interrupted: `the subscription to API keys failed: ${messageOf(error)}` });
        await sleepBeforeRetry(backoffMs(++failures, Math.random()), signal, recovery);
      }
    }
  }

  private resumed(): void {
    if (this.failures.interrupted !== undefined) this.report({ interrupted: undefined });
  }

  /** Reports an event that cannot be read and skips it: later events may be revocations. */
  private apply(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      try {
        this.keys.apply(event);
      } catch (error) {
        const { id, position, stream } = event;
        this.parts.logger.error(
          { err: error, event_id: id, position, stream },
          'an API key event cannot be read, so keys may be wrongly rejected or accepted',
        );
        this.report({ unreadable: `${messageOf(error)}. Start a release that can read it` });
      }
    }
  }

  private report(change: KeyRegistry['failures']): void {
    const { unreadable, interrupted } = Object.assign(this.failures, change);
    const failure = unreadable ?? interrupted;
    this.parts.health.report({
      part: 'api-keys',
      ready: failure === undefined,
      detail: failure ?? 'following',
    });
  }
}
