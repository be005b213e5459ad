import { toInstant, type EndpointId, type Position } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { DispatcherState } from '../dispatcher-state.js';
import type { SchedulerStore } from '../stores/delivery-store.js';
import type { EndedEndpoint, EndpointDirectory } from './endpoint-directory.js';
import { endedReason } from './endpoint-version.js';

/** Something that keeps state per endpoint. */
interface EndpointMemory {
  forget(endpoint: EndpointId): void;
}

export interface EndpointTrackerOptions {
  readonly directory: Pick<
    EndpointDirectory,
    'followTo' | 'changes' | 'take' | 'takeEnded' | 'endedAt' | 'latest'
  >;
  readonly store: Pick<SchedulerStore, 'cancel' | 'endpointsUnfinished'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Nothing is canceled while the dispatcher waits for an operator's decision. */
  readonly state: Pick<DispatcherState, 'maySend'>;
  /** They drop their state of an endpoint once it is unsubscribed. */
  readonly memories: readonly EndpointMemory[];
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Follows the endpoints and, when one is disabled or unsubscribed, cancels those of its waiting
 * deliveries that were decided before. Later ones were planned by a dispatcher that knows a later
 * version of the endpoint.
 */
export class EndpointTracker {
  private canceling: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EndpointTrackerOptions) {}

  /**
   * Like `EndpointDirectory.followTo`, but resolves only once the waiting deliveries of disabled or
   * unsubscribed endpoints are canceled.
   */
  async followTo(position?: Position): Promise<void> {
    await this.options.directory.followTo(position);
    await this.cancelEnded();
  }

  /**
   * Follows changes live until `signal` aborts, so that they are known soon even when nothing is
   * planned. Throws `UnreadableEvent`.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { directory } = this.options;
    for await (const batch of directory.changes(signal)) {
      directory.take(batch);
      void this.cancelEnded();
    }
  }

  /** Cancels the waiting deliveries of all endpoints that are disabled or unsubscribed. */
  async cancelAll(): Promise<void> {
    const { store, directory, logRetry } = this.options;
    try {
      for (const endpoint of await store.endpointsUnfinished()) {
        const position = directory.endedAt(endpoint);
        if (position !== undefined) await this.cancel({ endpoint, position });
      }
    } catch (error) {
      logRetry(cancelWaitingDeliveries, error);
    }
  }

  private async cancelEnded(): Promise<void> {
    const { directory, memories } = this.options;
    for (const ended of directory.takeEnded()) {
      if (directory.latest(ended.endpoint) === undefined)
        for (const memory of memories) memory.forget(ended.endpoint);
      this.canceling = Promise.all([this.canceling, this.cancel(ended)]);
    }
    await this.canceling;
  }

  /** Never rejects. */
  private async cancel({ endpoint, position: decidedBelow }: EndedEndpoint): Promise<void> {
    const { store, clock, directory, state, logRetry } = this.options;
    if (!state.maySend) return;
    try {
      const reason = endedReason(directory.latest(endpoint));
      await store.cancel(endpoint, { decidedBelow, reason, now: toInstant(clock.now()) });
    } catch (error) {
      // each delivery is then canceled at its next attempt
      logRetry(cancelWaitingDeliveries, error);
    }
  }
}

const cancelWaitingDeliveries = 'canceling deliveries';
