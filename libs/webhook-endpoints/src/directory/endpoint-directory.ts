import { setTimeout as sleep } from 'node:timers/promises';
import {
  accountOf,
  comparePositions,
  laterOf,
  streams,
  type AccountId,
  type EndpointId,
  type EventId,
  type Position,
} from '@refledger/contracts';
import { decodeEvent, type EventLog, type LogBatch } from '@refledger/event-log';
import { EndpointHistory, type EventToMatch, type Match } from './endpoint-history.js';
import {
  applyTo,
  isEndpointEvent,
  type EndpointEvent,
  type EndpointVersion,
  type LatestVersions,
} from './endpoint-version.js';
import {
  deliveriesChangesBy,
  deliveriesChangesOf,
  type DeliveriesChange,
} from './delivery-decision.js';

export interface EndpointDirectoryOptions {
  readonly log: Pick<EventLog, 'readAll' | 'subscribe' | 'head'>;
  readonly skips: SkippedEvents;
}

/** What becomes of the earlier deliveries of an endpoint that has changed. */
export interface ChangedDeliveries {
  readonly account: AccountId;
  readonly endpoint: EndpointId;
  readonly change: DeliveriesChange;
}

/** Events that an operator decided to skip. */
interface SkippedEvents {
  isSkipped(eventId: EventId): boolean;
}

/**
 * Keeps in memory the latest version of every subscribed endpoint, and what endpoints wanted at
 * each position that may still be planned. It reads the log as far as planning needs it, and also
 * follows it live, so that it learns of new versions quickly.
 */
export class EndpointDirectory {
  private readonly versions: LatestVersions = new Map();
  private history = new EndpointHistory();
  private followed: Position | undefined;
  /** What has changed since the last `takeChanged`. */
  private changed: ChangedDeliveries[] = [];
  /** The endpoints whose series of failed attempts ended since the last `takeRestarted`. */
  private restarted: EndpointId[] = [];

  constructor(private readonly options: EndpointDirectoryOptions) {}

  /** The position to which the endpoints are followed; undefined before the first time. */
  get reached(): Position | undefined {
    return this.followed;
  }

  /**
   * Reads to the current end of the log, unless the directory has already reached `position`. Waits
   * for a log that lags behind the bus or the store, and throws when it lags for more than about
   * 2 s. Throws `UnreadableEvent`.
   */
  async followTo(position?: Position): Promise<void> {
    for (let attempt = 0; !this.hasReached(position); attempt++) {
      if (attempt > 0) await this.waitForLog(position, attempt);
      const head = await this.options.log.head();
      for await (const batch of this.options.log.readAll({
        prefix: streams.allWebhooks,
        after: this.followed,
      }))
        this.apply(batch);
      // the log was read to its end, which is not before this head
      this.followed = laterOf(this.followed, head);
      if (position === undefined) break;
    }
  }

  /**
   * The changes to endpoints after the last one followed, as input for `take`, until `signal`
   * aborts.
   */
  changes(signal: AbortSignal): AsyncIterable<LogBatch> {
    return this.options.log.subscribe({
      prefix: streams.allWebhooks,
      after: this.followed,
      signal,
    });
  }

  /**
   * Applies a batch. The same batch may come twice, from `changes` and from `followTo`: events up
   * to `followed` are ignored. Throws `UnreadableEvent`.
   */
  apply(batch: LogBatch): void {
    for (const event of this.endpointEvents(batch, this.followed)) {
      this.history.add(event);
      const { endpoint_id: endpoint } = event.data;
      const before = this.latest(endpoint);
      for (const change of deliveriesChangesBy(event, before))
        this.changed.push({ account: accountOf(event), endpoint, change });
      applyTo(this.versions, event);
      if (this.latest(endpoint)?.seriesFrom !== before?.seriesFrom) this.restarted.push(endpoint);
      this.followed = event.position;
    }
    this.followed = laterOf(this.followed, batch.through);
  }

  /** The changes to earlier deliveries since the last call, in log order. */
  takeChanged(): readonly ChangedDeliveries[] {
    const { changed } = this;
    this.changed = [];
    return changed;
  }

  /** The endpoints whose series of failed attempts a change has ended since the last call. */
  takeRestarted(): readonly EndpointId[] {
    const { restarted } = this;
    this.restarted = [];
    return restarted;
  }

  /**
   * The endpoints of the account that wanted this kind of event at this position, which must be
   * above the floor. Exact up to the position that the directory has followed.
   */
  matching(of: EventToMatch): readonly Match[] {
    return this.history.matching(of);
  }

  /** The latest known version of an endpoint; undefined if it is not subscribed. */
  latest(endpoint: EndpointId): EndpointVersion | undefined {
    return this.versions.get(endpoint);
  }

  /** What becomes of the deliveries of an endpoint, by its latest known version. */
  deliveriesChangesOf(endpoint: EndpointId): readonly DeliveriesChange[] {
    return deliveriesChangesOf(this.latest(endpoint), this.followed);
  }

  /** Forgets what endpoints wanted at or below the floor, since nothing there is planned again. */
  forgetUpTo(floor: Position | undefined): void {
    this.history.forgetUpTo(floor);
  }

  /**
   * Prepares for planning above this floor. If the floor is lower than before, the log is read
   * again. Throws `UnreadableEvent`.
   */
  async continueAbove(floor: Position | undefined): Promise<void> {
    if (!this.history.isCompleteAbove(floor)) await this.readAgainAbove(floor);
    this.history.forgetUpTo(floor);
  }

  /**
   * Reads at least as far as the directory has followed by the end of the read, since `take`
   * continues meanwhile.
   */
  private async readAgainAbove(floor: Position | undefined): Promise<void> {
    const { log } = this.options;
    const history = new EndpointHistory();
    history.forgetUpTo(floor);
    let read: Position | undefined;
    do {
      const head = await log.head();
      for await (const batch of log.readAll({ prefix: streams.allWebhooks, after: read })) {
        for (const event of this.endpointEvents(batch, read)) history.add(event);
        read = batch.through;
      }
      read = laterOf(read, head);
    } while (
      this.followed !== undefined &&
      (read === undefined || comparePositions(read, this.followed) < 0)
    );
    // set here and not by the caller, so that `take` can't run in between
    this.history = history;
  }

  private hasReached(position: Position | undefined): boolean {
    return (
      position !== undefined &&
      this.followed !== undefined &&
      comparePositions(this.followed, position) >= 0
    );
  }

  private async waitForLog(position: Position | undefined, attempt: number): Promise<void> {
    if (attempt > 100) throw new Error(`the log has not reached position ${String(position)} yet`);
    await sleep(20);
  }

  /** The endpoint events after a position, without the skipped ones. */
  private *endpointEvents(
    { events }: LogBatch,
    after: Position | undefined,
  ): Generator<EndpointEvent> {
    for (const logged of events) {
      if (after !== undefined && comparePositions(logged.position, after) <= 0) continue;
      if (this.options.skips.isSkipped(logged.id)) continue;
      const event = decodeEvent(logged);
      if (isEndpointEvent(event)) yield event;
    }
  }
}
