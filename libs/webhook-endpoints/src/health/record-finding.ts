import { newContext, type CommandHandler } from '@refledger/application';
import { streams, type AccountId } from '@refledger/contracts';
import { webhookEndpointsDecider, type FindingCommand } from '@refledger/domain';
import { dispatcherName } from '../dispatcher-name.js';

export interface FindingParts {
  readonly commands: Pick<CommandHandler, 'run'>;
  /** Follows the endpoints, so that the finding is known here. */
  readonly tracker: { followTo(): Promise<void> };
}

/** Records a finding about an endpoint of the account. Resolves once the finding is followed. */
export const recordFinding = async (
  { commands, tracker }: FindingParts,
  accountId: AccountId,
  command: FindingCommand,
): Promise<void> => {
  await commands.run({
    stream: streams.webhooks(accountId),
    decider: webhookEndpointsDecider,
    command,
    context: newContext({ accountId, actor: dispatcherName, requestId: dispatcherName }),
  });
  await tracker.followTo();
};
