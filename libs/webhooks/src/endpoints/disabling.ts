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

/** The version of an endpoint that answered 410. */
export interface GoneEndpoint {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly version: number;
}

/** Disables endpoints that said that they are gone. */
export class Disabling {
  constructor(private readonly options: DisablingOptions) {}

  /** Names the version that was used: a newer one is not disabled. Resolves to whether the endpoint is disabled now. */
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
