import { Controller, Inject } from '@nestjs/common';
import { DomainError, newId, streams, type Subscribe } from '@refledger/contracts';
import {
  endpointAt,
  endpointRecord,
  webhookEndpointsDecider,
  type Endpoint,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import { CommandHandler, Consistency } from '@refledger/application';
import type { Config } from '@refledger/platform';
import { webhookEndpointsProjection } from '@refledger/projections';
import {
  canOpen,
  checkTarget,
  newWebhookSecret,
  normaliseTarget,
  type SecretBox,
} from '@refledger/webhooks';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { ReadModels } from '../read-models.js';
import { positionHeader } from '../records.js';
import { configToken, secretBoxToken } from '../tokens.js';

/** The operations on webhook endpoints. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly commands: CommandHandler,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    @Inject(secretBoxToken) private readonly box: SecretBox,
    @Inject(configToken) private readonly config: Config,
  ) {}

  @Operation('listWebhooks')
  list(call: Call<'listWebhooks'>): Promise<ApiResponse> {
    const filters = [{ field: 'account_id', equals: call.caller.accountId }];
    return this.readModels.list(webhookEndpointsProjection, call, { filters, defaultLimit: 100 });
  }

  @Operation('subscribe')
  async subscribe({ caller, body, context }: Call<'subscribe'>): Promise<ApiResponse> {
    const verdict = checkTarget(body.target_url, this.config.webhooks.privateTargets);
    if (!verdict.allowed)
      throw new DomainError(
        'target_not_allowed',
        `target_url was rejected: ${verdict.reason}. Use a public http or https URL.`,
      );
    const secret = body.secret ?? newWebhookSecret();
    const sealed = this.box.seal(secret);
    const outcome = await this.commands.run({
      stream: streams.webhooks(caller.accountId),
      decider: webhookEndpointsDecider,
      context,
      command: (state) =>
        this.subscribeCommand(body, state, { sealed, now: this.commands.instant() }),
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    const endpoint = this.subscribed(outcome.state, body.target_url);
    const isNew = outcome.events.some((event) => event.type === 'webhook.subscribed');
    return {
      status: isNew ? 201 : 200,
      body: { ...endpointRecord(endpoint), ...(isNew && { secret }) },
      headers: positionHeader(outcome.position),
    };
  }

  @Operation('unsubscribe')
  async unsubscribe({ caller, query, context }: Call<'unsubscribe'>): Promise<ApiResponse> {
    const outcome = await this.commands.run({
      stream: streams.webhooks(caller.accountId),
      decider: webhookEndpointsDecider,
      context,
      command: { type: 'unsubscribe', target_key: normaliseTarget(query.target_url) },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }

  private subscribeCommand(
    body: Subscribe,
    state: WebhookEndpointsState,
    { sealed, now }: { readonly sealed: string; readonly now: string },
  ): WebhookEndpointsCommand {
    const target_key = normaliseTarget(body.target_url);
    const known = endpointAt(state, target_key)?.fields.secret;
    // Sealing the same secret again gives a different string, which would look like a change.
    const unchanged =
      body.secret !== undefined &&
      known !== undefined &&
      canOpen(this.box, known) &&
      this.box.open(known) === body.secret;
    return {
      type: 'subscribe',
      endpoint_id: newId('endpoint'),
      target_url: body.target_url.replace(/#.*$/s, ''),
      target_key,
      events: body.events,
      description: body.description,
      secret: unchanged ? known : body.secret && sealed,
      new_secret: sealed,
      now,
    };
  }

  private subscribed(state: WebhookEndpointsState, targetUrl: string): Endpoint {
    const endpoint = endpointAt(state, normaliseTarget(targetUrl));
    if (endpoint === undefined)
      throw new Error('the state lacks the endpoint that was just subscribed');
    return endpoint;
  }
}
