import { setTimeout as delay } from 'node:timers/promises';
import { comparePositions, laterOf, streams, type AccountId, type EndpointId, type EventId, type EventKind, type Position, type Recorded } from '@refledger/contracts';
import { decodeEvent, type EventLog, type LogBatch } from '@refledger/event-log';
import { endpointDocument, latestVersion, versionAt, webhookEndpointsView, type EndpointDocument, type EndpointVersion } from '@refledger/views';

export interface EndpointDirectoryOptions {
  readonly log: Pick<EventLog, 'readAll' | 'subscribe' | 'head'>;
  /** Events that an operator decided to leave out. */
  readonly isSkipped: (eventId: EventId) => boolean;
  /** Hears of each endpoint that was disabled or unsubscribed, and is waited for by `followTo`. Must not reject. */
  readonly onEnded: (endpoint: EndpointId) => Promise<void>;
}

/**
 * Every version of every endpoint, with the position from which it holds, in memory. Followed from the log: as far as planning needs it,
 * and live besides, so that the latest version is known soon.
 */
export class EndpointDirectory {
  private readonly accounts = new Map<AccountId, EndpointsOfAccount>();
  private readonly endpoints = new Map<EndpointId, EndpointDocument>();
  private followed: Position | undefined;
  private ending: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EndpointDirectoryOptions) {}

  /** Follows to the log's end as of now, unless it has come to `position` already; waits for a log that lags behind the bus. Throws `UnreadableEvent`. */
  async followTo(position?: Position): Promise<void> {
    for (let tries = 0; !this.hasReached(position); tries++) {
      if (tries > 0) await this.lags(position, tries);
      const head = await this.options.log.head();
      for await (const batch of this.options.log.readAll({ prefix: streams.allWebhooks, after: this.followed })) this.take(batch);
      // read to the end, and the end is not before what was the head
      this.followed = laterOf(this.followed, head);
      if (position === undefined) break;
    }
    await this.ending;
  }

  /** Goes on as endpoints change, until `signal` aborts. Throws `UnreadableEvent`. */
  async follow(signal: AbortSignal): Promise<void> {
    for await (const batch of this.options.log.subscribe({ prefix: streams.allWebhooks, after: this.followed, signal })) this.take(batch);
  }

  /** The endpoints of the account that wanted this kind of event at this position. Exact up to where the directory has followed. */
  matching({ accountId, type, position }: { readonly accountId: AccountId; readonly type: EventKind; readonly position: Position }): readonly EndpointId[] {
    const account = this.accounts.get(accountId);
    if (account === undefined) return [];
    const { kept, removed } = account;
    const gone = removed.findLastIndex((endpoint) => comparePositions(latestVersion(endpoint).position, position) <= 0) + 1;
    const wanting = (endpoint: EndpointDocument): boolean => {
      const version = versionAt(endpoint, position);
      return version?.status === 'enabled' && version.events.includes(type);
    };
    return [...kept.values(), ...removed.slice(gone)].filter(wanting).map(({ id }) => id);
  }

  /** The version known to hold now; undefined for an endpoint that was never heard of. */
  latest(endpoint: EndpointId): EndpointVersion | undefined {
    const document = this.endpoints.get(endpoint);
    return document && latestVersion(document);
  }

  private note(endpoint: EndpointDocument): void {
    const account = this.accounts.get(endpoint.account_id) ?? { kept: new Map<EndpointId, EndpointDocument>(), removed: [] };
    this.accounts.set(endpoint.account_id, account);
    if (endpoint.status === 'removed') {
      account.kept.delete(endpoint.id);
      account.removed.push(endpoint);
    } else {
      account.kept.set(endpoint.id, endpoint);
    }
  }

  private hasReached(position: Position | undefined): boolean {
    return position !== undefined && this.followed !== undefined && comparePositions(this.followed, position) >= 0;
  }

  private async lags(position: Position | undefined, tries: number): Promise<void> {
    if (tries > 100) throw new Error(`the log has not come to position ${String(position)}, which the bus carries`);
    await delay(20);
  }

  /** Live and by need, batches may come twice: what is behind `followed` is known. */
  private take({ events, through }: LogBatch): void {
    for (const event of events) {
      if (this.followed !== undefined && comparePositions(event.position, this.followed) <= 0) continue;
      if (!this.options.isSkipped(event.id)) this.apply(decodeEvent(event));
      this.followed = event.position;
    }
    this.followed = laterOf(this.followed, through);
  }

  private apply(event: Recorded): void {
    for (const key of webhookEndpointsView.keysOf(event)) {
      const id = key.id as EndpointId;
      const document = webhookEndpointsView.evolve(this.endpoints.get(id), event, key);
      if (document === undefined || document === null) continue;
      const endpoint = endpointDocument(document);
      this.endpoints.set(id, endpoint);
      this.note(endpoint);
      if (endpoint.status !== 'enabled') this.ending = Promise.all([this.ending, this.options.onEnded(id)]);
    }
  }
}

/** Apart, so that planning a new event costs nothing for all the endpoints that were removed before it. */
interface EndpointsOfAccount {
  readonly kept: Map<EndpointId, EndpointDocument>;
  /** In the order of their removal. */
  readonly removed: EndpointDocument[];
}
