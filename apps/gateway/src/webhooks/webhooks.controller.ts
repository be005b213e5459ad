import { Controller, Inject } from '@nestjs/common';
import {
  DomainError,
  newId,
  type EndpointFields,
  type SingleEndpointRecord,
  type Subscribe,
  type UpdateWebhook,
  type WebhookEndpointRecord,
} from '@refledger/contracts';
import {
  endpointAt,
  endpointRecord,
  requireEndpoint,
  type Endpoint,
  type EndpointPatch,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import type { Config } from '@refledger/platform';
import { webhookEndpointsProjection } from '@refledger/projections';
import { checkTarget, newWebhookSecret, normaliseTarget } from '@refledger/webhook-endpoints';
import { ReadModels } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { positionHeader } from '../http/responses.js';
import { configToken } from '../tokens.js';
import { Deliveries, type UnfinishedDeliveries } from './deliveries.js';
import { EndpointCommands } from './endpoint-commands.js';
import { EndpointHistories } from './endpoint-histories.js';
import { EndpointReads } from './endpoint-reads.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { shownEndpoint } from './shown-endpoint.js';

/** The operations on webhook endpoints. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly commands: EndpointCommands,
    private readonly reads: EndpointReads,
    private readonly histories: EndpointHistories,
    private readonly readModels: ReadModels,
    private readonly secrets: EndpointSecrets,
    private readonly deliveries: Deliveries,
    @Inject(configToken) private readonly config: Config,
  ) {}

  @Operation('listWebhooks')
  list(call: Call<'listWebhooks'>): Promise<ApiResponse> {
    const filters = [{ field: 'account_id', equals: call.caller.accountId }];
    return listPage(this.readModels, webhookEndpointsProjection, call, {
      filters,
      defaultLimit: 100,
      // Decoding boundary: only the projection writes these records.
      shown: (records) => this.shown(records as unknown as readonly WebhookEndpointRecord[]),
    });
  }

  @Operation('subscribe')
  async subscribe({ body, context }: Call<'subscribe'>): Promise<ApiResponse> {
    this.requireAllowed(body.target_url);
    const secret = body.secret ?? newWebhookSecret();
    const sealed = this.secrets.seal(secret);
    const outcome = await this.commands.run(context, (state) =>
      this.subscribeCommand(body, state, { sealed, now: this.commands.instant() }),
    );
    const record = endpointRecord(this.subscribed(outcome.state, body.target_url));
    const isNew = outcome.events.some((event) => event.type === 'webhook.subscribed');
    return {
      status: isNew ? 201 : 200,
      body: {
        ...(isNew
          ? {
              ...shownEndpoint(record, this.commands.instant(), new Map()),
              ...noneUnfinished,
              secret,
            }
          : await this.single(record)),
      },
      headers: positionHeader(outcome.position),
    };
  }

  @Operation('unsubscribe')
  async unsubscribe({ query, context }: Call<'unsubscribe'>): Promise<ApiResponse> {
    const target_key = normaliseTarget(query.target_url);
    const { position } = await this.commands.run(context, { type: 'unsubscribe', target_key });
    return { status: 204, headers: positionHeader(position) };
  }

  @Operation('getWebhook')
  async get(call: Call<'getWebhook'>): Promise<ApiResponse> {
    const { record, position } = await this.reads.get(call);
    return { status: 200, body: await this.single(record), headers: positionHeader(position) };
  }

  @Operation('getWebhookHistory')
  history(call: Call<'getWebhookHistory'>): Promise<ApiResponse> {
    return this.histories.page(call);
  }

  @Operation('updateWebhook')
  async update({ id, body, context }: Call<'updateWebhook'>): Promise<ApiResponse> {
    if (body.target_url !== undefined) this.requireAllowed(body.target_url);
    const { state, position } = await this.commands.run(context, {
      type: 'update',
      endpoint_id: id,
      patch: patchOf(body),
    });
    return {
      status: 200,
      body: await this.single(endpointRecord(requireEndpoint(state, id))),
      headers: positionHeader(position),
    };
  }

  @Operation('deleteWebhook')
  async delete({ id, context }: Call<'deleteWebhook'>): Promise<ApiResponse> {
    const { position } = await this.commands.run(context, { type: 'delete', endpoint_id: id });
    return { status: 204, headers: positionHeader(position) };
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
    { target_url, secret, ...given }: Subscribe,
    state: WebhookEndpointsState,
    { sealed, now }: { readonly sealed: string; readonly now: string },
  ): WebhookEndpointsCommand {
    const target = targetOf(target_url);
    const current = endpointAt(state, target.target_key)?.fields.secret;
    return {
      type: 'subscribe',
      endpoint_id: newId('endpoint'),
      ...target,
      ...given,
      secret: secret && this.secrets.sealUnlessCurrent(secret, current),
      new_secret: sealed,
      now,
    };
  }

  private async shown(
    records: readonly WebhookEndpointRecord[],
  ): Promise<readonly WebhookEndpointRecord[]> {
    const failingSince = await this.deliveries.failingSince(records.map(({ id }) => id));
    const now = this.commands.instant();
    return records.map((record) => shownEndpoint(record, now, failingSince));
  }

  /** An endpoint on its own. */
  private async single(record: WebhookEndpointRecord): Promise<SingleEndpointRecord> {
    const [shown, unfinished] = await Promise.all([
      this.shown([record]),
      this.deliveries.unfinished(record.id),
    ]);
    return { ...record, ...shown[0], ...unfinished };
  }

  private subscribed(state: WebhookEndpointsState, targetUrl: string): Endpoint {
    const endpoint = endpointAt(state, normaliseTarget(targetUrl));
    if (endpoint === undefined)
      throw new Error('the state lacks the endpoint that was just subscribed');
    return endpoint;
  }
}

const noneUnfinished: UnfinishedDeliveries = { waiting: 0, held: 0 };

/** A URL as it is stored: without its fragment, and normalised to be compared. */
const targetOf = (url: string): Pick<EndpointFields, 'target_url' | 'target_key'> => ({
  target_url: url.replace(/#.*$/s, ''),
  target_key: normaliseTarget(url),
});

const patchOf = ({ target_url, ...given }: UpdateWebhook): EndpointPatch => ({
  target: target_url === undefined ? undefined : targetOf(target_url),
  ...given,
});
