import { Controller, Inject } from '@nestjs/common';
import {
  DomainError,
  newId,
  streams,
  type EndpointFields,
  type Subscribe,
  type UpdateWebhook,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import {
  endpointAt,
  endpointRecord,
  requireEndpoint,
  webhookEndpointsDecider,
  type Endpoint,
  type EndpointPatch,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import {
  CommandHandler,
  Consistency,
  type AccountContext,
  type Outcome,
} from '@refledger/application';
import type { Config } from '@refledger/platform';
import { webhookEndpointsProjection, type EndpointDocument } from '@refledger/projections';
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
import { positionHeader, requireRecord } from '../records.js';
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
  async subscribe({ body, context }: Call<'subscribe'>): Promise<ApiResponse> {
    this.requireAllowed(body.target_url);
    const secret = body.secret ?? newWebhookSecret();
    const sealed = this.box.seal(secret);
    const outcome = await this.run(context, (state) =>
      this.subscribeCommand(body, state, { sealed, now: this.commands.instant() }),
    );
    const endpoint = this.subscribed(outcome.state, body.target_url);
    const isNew = outcome.events.some((event) => event.type === 'webhook.subscribed');
    return {
      status: isNew ? 201 : 200,
      body: { ...endpointRecord(endpoint), ...(isNew && { secret }) },
      headers: positionHeader(outcome.position),
    };
  }

  @Operation('unsubscribe')
  async unsubscribe({ query, context }: Call<'unsubscribe'>): Promise<ApiResponse> {
    const target_key = normaliseTarget(query.target_url);
    const { position } = await this.run(context, { type: 'unsubscribe', target_key });
    return { status: 204, headers: positionHeader(position) };
  }

  @Operation('getWebhook')
  async get(call: Call<'getWebhook'>): Promise<ApiResponse> {
    const { caller, id } = call;
    const { value, position } = await this.readModels.get(webhookEndpointsProjection, id, call);
    // Decoding boundary: only the projection writes these documents.
    const document = value as EndpointDocument | undefined;
    const isOwn = document?.account_id === caller.accountId;
    const body = requireRecord('endpoint', id, isOwn ? document.record : undefined);
    return { status: 200, body, headers: positionHeader(position) };
  }

  @Operation('updateWebhook')
  async update({ id, body, context }: Call<'updateWebhook'>): Promise<ApiResponse> {
    if (body.target_url !== undefined) this.requireAllowed(body.target_url);
    const { state, position } = await this.run(context, {
      type: 'update',
      endpoint_id: id,
      patch: patchOf(body),
    });
    return {
      status: 200,
      body: endpointRecord(requireEndpoint(state, id)),
      headers: positionHeader(position),
    };
  }

  @Operation('deleteWebhook')
  async delete({ id, context }: Call<'deleteWebhook'>): Promise<ApiResponse> {
    const { position } = await this.run(context, { type: 'delete', endpoint_id: id });
    return { status: 204, headers: positionHeader(position) };
  }

  private async run(
    context: AccountContext,
    command: WebhookEndpointsCommand | ((state: WebhookEndpointsState) => WebhookEndpointsCommand),
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

  /** Throws `target_not_allowed` if nothing may be sent to the URL. */
  private requireAllowed(targetUrl: string): void {
    const verdict = checkTarget(targetUrl, this.config.webhooks.privateTargets);
    if (verdict.allowed) return;
    throw new DomainError(
      'target_not_allowed',
      `target_url was rejected: ${verdict.reason}. Use a public http or https URL.`,
    );
  }

  private subscribeCommand(
    body: Subscribe,
    state: WebhookEndpointsState,
    { sealed, now }: { readonly sealed: string; readonly now: string },
  ): WebhookEndpointsCommand {
    const target = targetOf(body.target_url);
    const known = endpointAt(state, target.target_key)?.fields.secret;
    // Sealing the same secret again gives a different string, which would look like a change.
    const unchanged =
      body.secret !== undefined &&
      known !== undefined &&
      canOpen(this.box, known) &&
      this.box.open(known) === body.secret;
    return {
      type: 'subscribe',
      endpoint_id: newId('endpoint'),
      ...target,
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

/** A URL as it is stored: without its fragment, and normalised to be compared. */
const targetOf = (url: string): Pick<EndpointFields, 'target_url' | 'target_key'> => ({
  target_url: url.replace(/#.*$/s, ''),
  target_key: normaliseTarget(url),
});

const patchOf = ({ target_url, events, description }: UpdateWebhook): EndpointPatch => ({
  target: target_url === undefined ? undefined : targetOf(target_url),
  events,
  description,
});
