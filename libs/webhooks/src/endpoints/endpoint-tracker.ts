import { toInstant, type EndpointId, type Position } from '@refledger/contracts';
import { endOfTime, type Clock } from '../clock.js';
import type { DispatcherState } from '../dispatcher-state.js';
import type { RetryLog } from '../retry-log.js';
import type { DeliveryStore } from '../stores/delivery-store.js';
import type { EndpointDirectory } from './endpoint-directory.js';
import { endedReason } from './endpoint-version.js';

/** What keeps something of each endpoint. */
export interface EndpointMemory {
  forget(endpoint: EndpointId): void;
}

export interface EndpointTrackerOptions {
  readonly directory: Pick<
    EndpointDirectory,
    'followTo' | 'changes' | 'take' | 'takeEnded' | 'latest'
  >;
  readonly store: Pick<DeliveryStore, 'cancel' | 'endpointsWithWork'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Nothing is canceled while an operator must decide. */
  readonly state: Pick<DispatcherState, 'maySend'>;
  /** What keeps nothing of an endpoint that is not there any more. */
  readonly memories: readonly EndpointMemory[];
  readonly retryLog: Pick<RetryLog, 'failed'>;
}

/** Follows the endpoints. Where one was disabled or unsubscribed, it cancels what waits for it. */
export class EndpointTracker {
  private canceling: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EndpointTrackerOptions) {}

  /** As `EndpointDirectory.followTo`. Resolves once what waits for ended endpoints is canceled too, so that no later plan is canceled with it. */
  async followTo(position?: Position): Promise<void> {
    await this.options.directory.followTo(position);
    await this.cancelEnded();
  }

  /** Live, until `signal` aborts, so that a change is known soon also when nothing is planned. Throws `UnreadableEvent`. */
  async follow(signal: AbortSignal): Promise<void> {
    const { directory } = this.options;
    for await (const batch of directory.changes(signal)) {
      directory.take(batch);
      void this.cancelEnded();
    }
  }

  /** Cancels what waits for any endpoint that takes no more. */
  async cancelAll(): Promise<void> {
    const { store, directory, retryLog } = this.options;
    try {
      for (const endpoint of await store.endpointsWithWork(endOfTime)) {
        if (directory.latest(endpoint)?.status !== 'enabled') await this.cancel(endpoint);
      }
    } catch (error) {
      retryLog.failed(cancelingWhatWaits, error);
    }
  }

  private async cancelEnded(): Promise<void> {
    const { directory, memories } = this.options;
    for (const endpoint of directory.takeEnded()) {
      if (directory.latest(endpoint) === undefined)
        for (const memory of memories) memory.forget(endpoint);
      this.canceling = Promise.all([this.canceling, this.cancel(endpoint)]);
    }
    await this.canceling;
  }

  /** Never rejects. */
  private async cancel(endpoint: EndpointId): Promise<void> {
    const { store, clock, directory, state, retryLog } = this.options;
    if (!state.maySend) return;
    try {
      await store.cancel(endpoint, endedReason(directory.latest(endpoint)), toInstant(clock.now()));
    } catch (error) {
      // each is canceled at its next attempt all the same
      retryLog.failed(cancelingWhatWaits, error);
    }
  }
}

const cancelingWhatWaits = 'cancelling what waits';
