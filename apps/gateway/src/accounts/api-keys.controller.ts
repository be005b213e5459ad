import { Controller } from '@nestjs/common';
import { Consistency } from '@refledger/application';
import { apiKeyRecord } from '@refledger/domain';
import { apiKeysProjection } from '@refledger/projections';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { equals } from '../lists/list-query.js';
import { ReadModels } from '../read-models.js';
import { positionHeader, requireRecord } from '../records.js';
import { ApiKeys } from './api-keys.js';

/** The operations on API keys. */
@Controller()
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
  ) {}

  @Operation('listApiKeys')
  list(call: Call<'listApiKeys'>): Promise<ApiResponse> {
    const filters = equals({ account_id: call.caller.accountId });
    return this.readModels.list(apiKeysProjection, call, { filters });
  }

  @Operation('createApiKey')
  async create({ caller, body, context }: Call<'createApiKey'>): Promise<ApiResponse> {
    const { id, secret, outcome } = await this.keys.create(context, { ...body, by: caller.scope });
    this.consistency.wrote(caller.accountId, outcome.position);
    const key = requireRecord('key', id, outcome.state.live.get(id));
    return {
      status: 201,
      body: { ...apiKeyRecord(id, key), api_key: secret },
      headers: positionHeader(outcome.position),
    };
  }

  @Operation('revokeApiKey')
  async revoke({ caller, id, context }: Call<'revokeApiKey'>): Promise<ApiResponse> {
    const outcome = await this.keys.revoke(context, id);
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }
}
