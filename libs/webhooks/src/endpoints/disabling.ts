import { streams, type AccountId, type EndpointId } from '@refledger/contracts';
import { webhookEndpointsDecider } from '@refledger/domain';
import { newContext, type CommandHandler } from '@refledger/event-log';
import { dispatcherName } from '../dispatcher-name.js';
import type { EndpointDirectory } from './endpoint-directory.js';
import type { EndpointTracker } from './endpoint-tracker.js';

export interface DisablingOptions {
  readonly runner: Pick<CommandHandler, 'run'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly tracker: Pick<EndpointTracker, 'followTo'>;
}

/** An endpoint that answered 410, and the version of it that was used. */
export interface GoneEndpoint {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly version: number;
}

/** Disables endpoints that answered 410 Gone. */
export class Disabling {
  constructor(private readonly options: DisablingOptions) {}

  /**
   * Disables this version of the endpoint; a newer version stays enabled. Resolves to whether the
   * endpoint is disabled or unsubscribed now.
   */
  async disable({ accountId, endpointId, version }: GoneEndpoint): Promise<boolean> {
    const { runner, directory, tracker } = this.options;
    await runner.run({
      stream: streams.webhooks(accountId),
      decider: webhookEndpointsDecider,
      command: {
        type: 'disable',
        endpoint_id: endpointId,
        version,
        reason: 'it answered 410 Gone',
      },
      context: newContext({ accountId, actor: dispatcherName, requestId: dispatcherName }),
    });
    await tracker.followTo();
    return directory.latest(endpointId)?.status !== 'enabled';
  }
}
