import { randomBytes, randomUUID } from 'node:crypto';
import {
  newId,
  streams,
  type AccountId,
  type DomainEvent,
  type KeyId,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { hashOfApiKey, newApiKey } from '@refledger/application';
import {
  encodeEvent,
  type LogBatch,
  type LoggedEvent,
  type ReadStreamOptions,
  type SubscribeOptions,
} from '@refledger/event-log';

/**
 * A log of key events in memory. Reads of a stream see every event and are counted; subscriptions
 * see only what is published.
 */
export class KeysLog {
  readonly all: LoggedEvent[] = [];
  /** The arguments of each read of a stream, and the number of events that it returned. */
  readonly reads: {
    readonly stream: StreamName;
    readonly from: number;
    readonly events: number;
  }[] = [];
  /** Errors that the next subscriptions throw, one per subscription. */
  readonly breaks: Error[] = [];
  private readonly accounts = new Map<string, AccountId>();
  private followed = 0;
  private wake = (): void => undefined;

  account(name: string): AccountId {
    const account = this.accounts.get(name) ?? newId('account');
    this.accounts.set(name, account);
    return account;
  }

  create(
    name: string,
    more: { readonly expires_at?: string } = {},
  ): { readonly id: KeyId; readonly secret: string } {
    const id = newId('key');
    const secret = newApiKey(this.account(name));
    this.append(name, {
      type: 'key.created',
      data: {
        key_id: id,
        name: 'k',
        scope: 'read',
        hash: hashOfApiKey(secret),
        last4: 'abcd',
        ...more,
      },
    });
    return { id, secret };
  }

  revoke(name: string, id: KeyId): void {
    this.append(name, { type: 'key.revoked', data: { key_id: id } });
  }

  /** Appends an event of a type that only a later release knows. */
  unreadable(name: string): void {
    this.append(name, { type: 'key.from-the-future', data: {} } as unknown as DomainEvent);
  }

  /** A well-formed key of this account that was never created. */
  unknownKey(name: string): string {
    return newApiKey(this.account(name)).slice(0, -4) + randomBytes(2).toString('hex');
  }

  /** Shows all events so far to subscriptions. */
  publish(): void {
    this.followed = this.all.length;
    this.wake();
  }

  async *readAll(): AsyncGenerator<LogBatch> {
    await Promise.resolve();
    this.publish();
    if (this.all.length > 0)
      yield { events: this.all.slice(), through: positionOf(this.all.length) };
  }

  async *readStream(
    stream: StreamName,
    { from = 0 }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    const events = this.all.filter((event) => event.stream === stream && event.revision >= from);
    this.reads.push({ stream, from, events: events.length });
    await new Promise(setImmediate);
    if (events.length > 0) yield events;
  }

  async *subscribe({ after, signal }: SubscribeOptions): AsyncGenerator<LogBatch> {
    const broken = this.breaks.shift();
    if (broken !== undefined) throw broken;
    signal.addEventListener('abort', () => this.wake());
    for (let next = Number(after ?? 0); !signal.aborted;) {
      if (next < this.followed) {
        const events = this.all.slice(next, this.followed);
        next = this.followed;
        yield { events, through: positionOf(next) };
      } else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private append(name: string, event: DomainEvent): void {
    const account = this.account(name);
    const stream = streams.keys(account);
    const revision = this.revisions.get(stream) ?? 0;
    this.revisions.set(stream, revision + 1);
    const metadata = {
      account_id: account,
      actor: 'test',
      request_id: 'r',
      recorded_at: '2026-01-01T00:00:00.000Z',
    };
    this.all.push({
      ...encodeEvent(event, randomUUID(), metadata),
      stream,
      revision,
      position: positionOf(this.all.length + 1),
    });
  }

  private readonly revisions = new Map<StreamName, number>();
}

const positionOf = (position: number): Position => String(position) as Position;
