import { Controller, Inject } from '@nestjs/common';
import type { KeyId } from '@refledger/contracts';
import { apiKeyRecord } from '@refledger/domain';
import { Consistency } from '../consistency.js';
import type { Answer, Call } from '../http/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listQuery } from '../lists/list-query.js';
import { pageOf } from '../lists/page-of.js';
import { positionHeader, requireRecord } from '../records.js';
import { ApiKeys } from './api-keys.js';

@Controller()
export class ApiKeysController {
  constructor(
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Consistency) private readonly consistency: Consistency,
  ) {}

  @Operation('listApiKeys')
  async list({ caller, query, minPosition }: Call<'listApiKeys'>): Promise<Answer> {
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const { state, position } = await this.keys.load(caller.accountId);
    const list = listQuery(query, { name: `api-keys of ${caller.accountId}`, filters: [] });
    const records = [...state.live].map(([id, key]) => apiKeyRecord(id, key));
    return {
      status: 200,
      body: list.page(pageOf(records, list.query)),
      headers: positionHeader(position),
    };
  }

  @Operation('createApiKey')
  async create({ caller, body, context }: Call<'createApiKey'>): Promise<Answer> {
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
  async revoke({ caller, id, context }: Call<'revokeApiKey'>): Promise<Answer> {
    const outcome = await this.keys.revoke(context, id as KeyId);
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }
}
