import { streams, type AccountId, type EndpointId } from '@refledger/contracts';
import { webhookEndpointsDecider } from '@refledger/domain';
import { newContext, type CommandHandler } from '@refledger/application';
import { dispatcherName } from '../dispatcher-options.js';
import type { EndpointDirectory } from './endpoint-directory.js';
import type { EndpointTracker } from './endpoint-tracker.js';

export interface DisablingOptions {
  readonly commands: Pick<CommandHandler, 'run'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly tracker: Pick<EndpointTracker, 'followTo'>;
}

/** An endpoint that responded with 410, and the version of it that was used. */
export interface GoneEndpoint {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly version: number;
}

/** Disables endpoints that respond with 410 Gone. */
export class EndpointDisabler {
  constructor(private readonly options: DisablingOptions) {}

  /**
   * Disables this version of the endpoint; a newer version stays enabled. Resolves to whether the
   * endpoint is disabled or unsubscribed now.
   */
  async disable({ accountId, endpointId, version }: GoneEndpoint): Promise<boolean> {
    const { commands, directory, tracker } = this.options;
    await commands.run({
      stream: streams.webhooks(accountId),
      decider: webhookEndpointsDecider,
      command: {
        type: 'disable',
        endpoint_id: endpointId,
        version,
        reason: 'it responded with 410 Gone',
      },
      context: newContext({ accountId, actor: dispatcherName, requestId: dispatcherName }),
    });
    await tracker.followTo();
    return directory.latest(endpointId)?.status !== 'enabled';
  }
}
