import { Controller } from '@nestjs/common';
import { ApiKeys, Consistency } from '@refledger/application';
import { apiKeyList, type ApiKeyRecord } from '@refledger/contracts';
import { apiKeyRecord } from '@refledger/domain';
import { apiKeysProjection, type ApiKeyDocument } from '@refledger/projections';
import type { Document } from '@refledger/read-store';
import { KeyUseRecorder, ReadModels, requireRecord } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf, type ListOrder } from '../lists/list-query.js';
import { positionHeader, valueResponse } from '../http/responses.js';

@Controller()
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    private readonly uses: KeyUseRecorder,
  ) {}

  @Operation('listApiKeys')
  list(call: Call<'listApiKeys'>): Promise<ApiResponse> {
    return listPage(this.readModels, apiKeysProjection, call, {
      filters: filtersOf(apiKeyList, call.caller.accountId, call.query),
      ...(call.query.expires_before !== undefined && { order: byExpiry }),
      shown: (records) => this.withLastUses(records),
    });
  }

  @Operation('createApiKey')
  async create({ caller, body, context }: Call<'createApiKey'>): Promise<ApiResponse> {
    const { id, secret, outcome } = await this.keys.create(context, { ...body, by: caller.scope });
    this.consistency.wrote(caller.accountId, outcome.position);
    const key = requireRecord('key', id, outcome.state.live.get(id));
    return valueResponse(
      { ...apiKeyRecord(id, key), last_used_at: null, api_key: secret },
      outcome.position,
      201,
    );
  }

  @Operation('revokeApiKey')
  async revoke({ caller, id, context }: Call<'revokeApiKey'>): Promise<ApiResponse> {
    const outcome = await this.keys.revoke(context, id);
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }

  private async withLastUses(records: readonly Document[]): Promise<ApiKeyRecord[]> {
    // Decoding boundary: the projection's documents have these records.
    const keys = records as unknown as readonly ApiKeyDocument['record'][];
    const uses = await this.uses.lastUses(keys.map(({ id }) => id));
    return keys.map((key) => ({ ...key, last_used_at: uses.get(key.id) ?? null }));
  }
}

const byExpiry: ListOrder = {
  sort: 'created_at',
  fields: ['expires_at', 'id'],
  // a key that never expires is outside the bound
  valuesOf: ({ expires_at, id }) => [expires_at ?? '', id],
};
