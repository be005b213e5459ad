import { streams, toInstant, type AccountId, type EndpointId } from '@refledger/contracts';
import { webhookEndpointsDecider } from '@refledger/domain';
import { newContext, type CommandRunner } from '@refledger/event-log';
import { endOfTime, type Clock } from './clock.js';
import type { DeliveryStore } from './delivery-store.js';
import type { EndpointDirectory } from './endpoint-directory.js';
import { endedReason } from './endpoint-version.js';
import { dispatcherName } from './follower-admission.js';

export interface EndpointEndingsOptions {
  readonly store: Pick<DeliveryStore, 'cancel' | 'endpointsWithWork'>;
  readonly clock: Clock;
  readonly runner: Pick<CommandRunner, 'run'>;
  readonly directory: Pick<EndpointDirectory, 'latest' | 'followTo'>;
  /** Nothing is cancelled while an operator must decide. */
  readonly mayCancel: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** What the end of an endpoint does to what waits for it, and the end that its own 410 makes. */
export class EndpointEndings {
  constructor(private readonly options: EndpointEndingsOptions) {}

  /** Cancels what waits for endpoints that take no more. */
  async cancelAll(): Promise<void> {
    const { store, directory, onFailure } = this.options;
    try {
      for (const endpoint of await store.endpointsWithWork(endOfTime)) {
        if (directory.latest(endpoint)?.status !== 'enabled') await this.cancel(endpoint);
      }
    } catch (error) {
      onFailure(error);
    }
  }

  async cancel(endpoint: EndpointId): Promise<void> {
    const { store, clock, directory, mayCancel, onFailure } = this.options;
    if (!mayCancel()) return;
    try {
      await store.cancel(endpoint, endedReason(directory.latest(endpoint)), toInstant(clock.now()));
    } catch (error) {
      // each is cancelled at its next attempt all the same
      onFailure(error);
    }
  }

  /** Names the version that was used: a newer one is not disabled. Answers whether the endpoint is disabled now. */
  async disable({
    accountId,
    endpointId,
    version,
  }: {
    readonly accountId: AccountId;
    readonly endpointId: EndpointId;
    readonly version: number;
  }): Promise<boolean> {
    const { runner, directory } = this.options;
    const context = newContext({ accountId, actor: dispatcherName, requestId: dispatcherName });
    const command = {
      type: 'disable',
      endpoint_id: endpointId,
      version,
      reason: 'it answered 410 Gone',
    } as const;
    await runner.run({
      stream: streams.webhooks(accountId),
      decider: webhookEndpointsDecider,
      command,
      context,
    });
    await directory.followTo();
    return directory.latest(endpointId)?.status !== 'enabled';
  }
}
