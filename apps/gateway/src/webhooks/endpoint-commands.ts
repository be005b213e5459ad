import { streams, type WebhookEndpointsEvent } from '@refledger/contracts';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import type {
  AccountContext,
  CommandHandler,
  Consistency,
  Outcome,
  Run,
} from '@refledger/application';

/** Runs commands on the webhook endpoints of an account. */
export class EndpointCommands {
  constructor(
    private readonly commands: Pick<CommandHandler, 'run' | 'instant'>,
    private readonly consistency: Pick<Consistency, 'wrote'>,
  ) {}

  /** The instant of a decision that is made now (RFC 3339). */
  instant(): string {
    return this.commands.instant();
  }

  async run(
    context: AccountContext,
    command: Run<WebhookEndpointsCommand, WebhookEndpointsState, WebhookEndpointsEvent>['command'],
  ): Promise<Outcome<WebhookEndpointsState, WebhookEndpointsEvent>> {
    const outcome = await this.commands.run({
      stream: streams.webhooks(context.accountId),
      decider: webhookEndpointsDecider,
      context,
      command,
    });
    this.consistency.wrote(context.accountId, outcome.position);
    return outcome;
  }
}
