import { Controller, Inject } from '@nestjs/common';
import {
  DomainError,
  newId,
  type EndpointFields,
  type WebhookEndpointRecord,
} from '@refledger/contracts';
import { endpointAt, endpointRecord, requireEndpoint } from '@refledger/domain';
import type { Config } from '@refledger/platform';
import { webhookEndpointsProjection } from '@refledger/projections';
import { EndpointHistories, EndpointReads, ReadModels, ShownEndpoints } from '@refledger/queries';
import type { ReadResult } from '@refledger/read-store';
import { checkTarget, newWebhookSecret, normalizeTarget } from '@refledger/webhook-endpoints';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { historyStart } from '../history/history-page.js';
import { listResponse, positionHeader, valueResponse } from '../http/responses.js';
import { listPage } from '../lists/list-page.js';
import { configToken } from '../tokens.js';
import { EndpointCommands } from './endpoint-commands.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** The operations on webhook endpoints. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly commands: EndpointCommands,
    private readonly reads: EndpointReads,
    private readonly histories: EndpointHistories,
    private readonly readModels: ReadModels,
    private readonly secrets: EndpointSecrets,
    private readonly shown: ShownEndpoints,
    @Inject(configToken) private readonly config: Config,
  ) {}

  @Operation('listWebhooks')
  list(call: Call<'listWebhooks'>): Promise<ApiResponse> {
    const filters = [{ field: 'account_id', equals: call.caller.accountId }];
    return listPage(this.readModels, webhookEndpointsProjection, call, {
      filters,
      defaultLimit: 100,
      // Decoding boundary: only the projection writes these records.
      shown: (records) => this.shown.list(records as unknown as readonly WebhookEndpointRecord[]),
    });
  }

  @Operation('subscribe')
  async subscribe({ body, context }: Call<'subscribe'>): Promise<ApiResponse> {
    const { target_url, secret: given, ...others } = body;
    const target = this.allowedTarget(target_url);
    const secret = given ?? newWebhookSecret();
    const new_secret = this.secrets.seal(secret);
    const outcome = await this.commands.run(context, (state) => ({
      type: 'subscribe',
      endpoint_id: newId('endpoint'),
      ...target,
      ...others,
      secret:
        given &&
        this.secrets.sealUnlessCurrent(given, endpointAt(state, target.target_key)?.fields.secret),
      new_secret,
      now: this.commands.instant(),
    }));
    const endpoint = endpointAt(outcome.state, target.target_key);
    if (endpoint === undefined)
      throw new Error('the state lacks the endpoint that was just subscribed');
    const record = endpointRecord(endpoint);
    if (!outcome.events.some((event) => event.type === 'webhook.subscribed'))
      return this.response(record, outcome);
    return valueResponse({ ...this.shown.subscribed(record), secret }, outcome.position, 201);
  }

  @Operation('unsubscribe')
  async unsubscribe({ query, context }: Call<'unsubscribe'>): Promise<ApiResponse> {
    const target_key = normalizeTarget(query.target_url);
    const { position } = await this.commands.run(context, { type: 'unsubscribe', target_key });
    return { status: 204, headers: positionHeader(position) };
  }

  @Operation('getWebhook')
  async get(call: Call<'getWebhook'>): Promise<ApiResponse> {
    const found = await this.reads.get(call);
    return this.response(found.record, found);
  }

  @Operation('getWebhookHistory')
  async history(call: Call<'getWebhookHistory'>): Promise<ApiResponse> {
    const { id, query } = call;
    await this.reads.get(call);
    const { cursorAfter, ...start } = historyStart(query, `history of ${id}`);
    const withRecords = query.include === 'record';
    const { changes, next, position } = await this.histories.page(call, start, withRecords);
    return listResponse(changes, next === undefined ? null : cursorAfter(next), position);
  }

  @Operation('getWebhookStats')
  async stats(call: Call<'getWebhookStats'>): Promise<ApiResponse> {
    const { record } = await this.reads.get(call);
    return { status: 200, body: await this.shown.stats(record, call.query.period ?? '24h') };
  }

  @Operation('updateWebhook')
  async update({ id, body, context }: Call<'updateWebhook'>): Promise<ApiResponse> {
    const { target_url, ...others } = body;
    const target = target_url === undefined ? undefined : this.allowedTarget(target_url);
    const patch = { target, ...others };
    const outcome = await this.commands.run(context, { type: 'update', endpoint_id: id, patch });
    return this.response(endpointRecord(requireEndpoint(outcome.state, id)), outcome);
  }

  @Operation('deleteWebhook')
  async delete({ id, context }: Call<'deleteWebhook'>): Promise<ApiResponse> {
    const { position } = await this.commands.run(context, { type: 'delete', endpoint_id: id });
    return { status: 204, headers: positionHeader(position) };
  }

  /** An existing endpoint, on its own. */
  private async response(
    record: WebhookEndpointRecord,
    { position }: Pick<ReadResult<unknown>, 'position'>,
  ): Promise<ApiResponse> {
    const body = await this.shown.single(record);
    return valueResponse(body, position);
  }

  /**
   * A URL as it is stored: without its fragment, and normalised to be compared. Throws
   * `target_not_allowed` if nothing may be sent to it.
   */
  private allowedTarget(url: string): Pick<EndpointFields, 'target_url' | 'target_key'> {
    const verdict = checkTarget(url, this.config.webhooks.privateTargets);
    if (!verdict.allowed)
      throw new DomainError(
        'target_not_allowed',
        `target_url was rejected: ${verdict.reason}. Use a public http or https URL.`,
      );
    return { target_url: url.replace(/#.*$/s, ''), target_key: normalizeTarget(url) };
  }
}
