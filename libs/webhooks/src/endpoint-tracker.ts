import { EventEmitter } from 'node:events';
import { KeyedMutex } from '@refledger/application';
import { toInstant, type EndpointId, type Position } from '@refledger/contracts';
import {
  type Clock,
  type EndpointDirectory,
  decisionOf,
  type DeliveriesChange,
} from '@refledger/webhook-endpoints';
import type { DispatcherState } from './dispatcher-state.js';
import type { Delivery, SchedulerStore } from '@refledger/delivery-store';

/** What is needed of a delivery to judge it. */
type DeliveryToJudge = Pick<Delivery, 'endpointId' | 'trigger' | 'decidedAt'>;

/** Something that keeps state per endpoint. */
interface EndpointMemory {
  forget(endpoint: EndpointId): void;
}

export interface EndpointTrackerOptions {
  readonly directory: Pick<
    EndpointDirectory,
    | 'followTo'
    | 'changes'
    | 'apply'
    | 'takeChanged'
    | 'takeRestarted'
    | 'deliveriesChangesOf'
    | 'latest'
  >;
  readonly store: Pick<
    SchedulerStore,
    'hold' | 'unholdReplays' | 'holdRetries' | 'cancel' | 'endpointsUnfinished'
  >;
  readonly clock: Pick<Clock, 'now'>;
  /** Nothing is changed while the dispatcher waits for an operator's decision. */
  readonly state: Pick<DispatcherState, 'maySend'>;
  /** They drop their state for an endpoint once it is unsubscribed. */
  readonly memories: readonly EndpointMemory[];
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Follows the endpoints. When one is paused, disabled, unsubscribed, or enabled with
 * `held: "drop"`, its deliveries that were decided before that change are held or canceled. Later
 * ones were planned by a dispatcher that knows a later version of the endpoint. When one has
 * recovered, its deliveries that wait for a retry catch up, as held ones do. Emits `enabled` for an
 * endpoint whose held deliveries may be sent, and `restarted` for one whose series of failed
 * attempts a change ended.
 */
export class EndpointTracker extends EventEmitter<{
  enabled: [endpoint: EndpointId];
  restarted: [endpoint: EndpointId];
}> {
  /**
   * The changes of one account are made one after another, in log order, so that the store has time
   * for other accounts, however many endpoints one account changes.
   */
  private readonly changing = new KeyedMutex();

  constructor(private readonly options: EndpointTrackerOptions) {
    super();
  }

  /**
   * Like `EndpointDirectory.followTo`, and begins to hold or cancel the deliveries of changed
   * endpoints. That may take minutes, and each delivery is judged before its attempt, so nobody
   * waits for it.
   */
  async followTo(position?: Position): Promise<void> {
    await this.options.directory.followTo(position);
    this.changeDeliveries();
  }

  /**
   * Follows changes live until `signal` aborts, so that they are known soon even when nothing is
   * planned. Throws `UnreadableEvent`.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { directory } = this.options;
    for await (const batch of directory.changes(signal)) {
      directory.apply(batch);
      this.changeDeliveries();
    }
  }

  /** Changes the deliveries of an endpoint as its latest known version demands. Never rejects. */
  async changeOf(endpoint: EndpointId): Promise<void> {
    for (const change of this.options.directory.deliveriesChangesOf(endpoint))
      await this.change(endpoint, change);
  }

  /** Changes the deliveries of all endpoints as their latest known versions demand. */
  async changeAll(): Promise<void> {
    const { store, logRetry } = this.options;
    try {
      for (const endpoint of await store.endpointsUnfinished()) await this.changeOf(endpoint);
    } catch (error) {
      logRetry(changingDeliveries, error);
    }
  }

  /**
   * Holds or cancels deliveries that were just stored as waiting or held, if their endpoint changed
   * in the meantime, so that the change did not reach them. Never rejects.
   */
  async recheck(deliveries: readonly DeliveryToJudge[], status: 'waiting' | 'held'): Promise<void> {
    const { directory } = this.options;
    const endpoints = new Set<EndpointId>();
    for (const delivery of deliveries) {
      const { to } = decisionOf(delivery, directory.latest(delivery.endpointId));
      if (to === 'cancel' || (to === 'hold' && status === 'waiting'))
        endpoints.add(delivery.endpointId);
    }
    for (const endpoint of endpoints) await this.changeOf(endpoint);
  }

  /**
   * Cancels what is left of endpoints that are deleted or gone: a gateway or another dispatcher may
   * have stored deliveries after that. Never rejects.
   */
  async cancelLeft(endpoints: Iterable<EndpointId>): Promise<void> {
    for (const endpoint of endpoints) {
      const latest = this.options.directory.latest(endpoint);
      const isGone = latest?.status === 'disabled' && latest.goneAt !== null;
      if (latest === undefined || isGone) await this.changeOf(endpoint);
    }
  }

  private changeDeliveries(): void {
    const { directory, memories } = this.options;
    for (const endpoint of directory.takeRestarted()) this.emit('restarted', endpoint);
    for (const { account, endpoint, change } of directory.takeChanged()) {
      if (directory.latest(endpoint) === undefined)
        for (const memory of memories) memory.forget(endpoint);
      void this.changing.run(account, () => this.change(endpoint, change));
    }
  }

  /** Never rejects. */
  private async change(endpoint: EndpointId, change: DeliveriesChange): Promise<void> {
    const { store, clock, state, logRetry } = this.options;
    if (!state.maySend) return;
    try {
      switch (change.to) {
        case 'held':
          await store.hold(endpoint, change.decidedBelow);
          break;
        case 'canceled':
          await store.cancel(endpoint, { ...change, now: toInstant(clock.now()) });
          break;
        case 'retry':
          await store.holdRetries(endpoint, toInstant(clock.now()));
          await this.sendHeld(endpoint);
          break;
        case 'send':
          await this.sendHeld(endpoint);
      }
    } catch (error) {
      // each delivery is judged again at its next attempt
      logRetry(changingDeliveries, error);
    }
  }

  /** Lets held deliveries be sent, unless the endpoint was paused or disabled again meanwhile. */
  private async sendHeld(endpoint: EndpointId): Promise<void> {
    const { store, directory } = this.options;
    if (directory.latest(endpoint)?.status !== 'enabled') return;
    await store.unholdReplays(endpoint);
    this.emit('enabled', endpoint);
  }
}

const changingDeliveries = 'holding or canceling deliveries';
