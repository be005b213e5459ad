import { Controller } from '@nestjs/common';
import { parseDuration, type WebhookSecret } from '@refledger/contracts';
import {
  endpointOf,
  requireEndpoint,
  previousStillSigning,
  type Endpoint,
} from '@refledger/domain';
import { EndpointReads } from '@refledger/queries';
import { newWebhookSecret } from '@refledger/webhook-endpoints';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { valueResponse } from '../http/responses.js';
import { EndpointCommands } from './endpoint-commands.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** The operations on the secrets of webhook endpoints. */
@Controller()
export class WebhookSecretsController {
  constructor(
    private readonly commands: EndpointCommands,
    private readonly reads: EndpointReads,
    private readonly secrets: EndpointSecrets,
  ) {}

  @Operation('getWebhookSecret')
  async get(call: Call<'getWebhookSecret'>): Promise<ApiResponse> {
    const { endpoint, position } = await this.reads.get(call);
    return valueResponse(this.shown(endpoint), position);
  }

  @Operation('rotateWebhookSecret')
  async rotate({ id, body, context }: Call<'rotateWebhookSecret'>): Promise<ApiResponse> {
    const secret = body.secret ?? newWebhookSecret();
    const overlap_ms = parseDuration(body.overlap) ?? 0;
    const { state, position } = await this.commands.run(context, (endpoints) => ({
      type: 'rotate',
      endpoint_id: id,
      secret: this.secrets.sealUnlessCurrent(secret, endpointOf(endpoints, id)?.fields.secret),
      overlap_ms,
      now: this.commands.instant(),
    }));
    return valueResponse(this.shown(requireEndpoint(state, id)), position);
  }

  private shown({ fields, previous }: Pick<Endpoint, 'fields' | 'previous'>): WebhookSecret {
    const signing = previousStillSigning(previous, this.commands.instant());
    return {
      object: 'webhook_secret',
      secret: this.secrets.open(fields.secret),
      previous: signing && { ...signing, secret: this.secrets.open(signing.secret) },
    };
  }
}
