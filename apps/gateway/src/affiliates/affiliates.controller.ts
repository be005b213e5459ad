import { Controller } from '@nestjs/common';
import { affiliateList, streams, type AffiliateId } from '@refledger/contracts';
import { affiliateDecider, affiliateRecord } from '@refledger/domain';
import { AffiliateCommands } from '@refledger/application';
import { affiliatesProjection } from '@refledger/projections';
import { affiliateStats, ReadModels } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { positionHeader, valueResponse } from '../http/responses.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';

@Controller()
export class AffiliatesController {
  private readonly records: RecordsOf<typeof affiliates>;

  constructor(
    parts: RecordsParts,
    private readonly commands: AffiliateCommands,
    private readonly readModels: ReadModels,
  ) {
    this.records = new Records(affiliates, parts);
  }

  @Operation('listAffiliates')
  list(call: Call<'listAffiliates'>): Promise<ApiResponse> {
    return this.records.list(call);
  }

  @Operation('createAffiliate')
  async create(call: Call<'createAffiliate'>): Promise<ApiResponse> {
    const { body, caller, context, idempotencyKey: idempotency_key } = call;
    const id = newRecordId('affiliate', caller.accountId, { idempotency_key });
    const { email, external_id = null, name, program_id, metadata = {} } = body;
    const outcome = await this.commands.run({
      command: { type: 'create', affiliate_id: id, email, external_id, name, program_id, metadata },
      context,
    });
    return this.records.created(call, id, outcome);
  }

  @Operation('getAffiliate')
  get(call: Call<'getAffiliate'>): Promise<ApiResponse> {
    return this.records.get(call);
  }

  @Operation('getAffiliateHistory')
  history(call: Call<'getAffiliateHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('updateAffiliate')
  async update(call: Call<'updateAffiliate'>): Promise<ApiResponse> {
    const { id, body, context } = call;
    // a new email address must be claimed
    const outcome = await this.commands.run({
      command: { type: 'update', affiliate_id: id, patch: body },
      context,
      precondition: this.records.precondition(call),
    });
    return this.records.changed(call, outcome);
  }

  @Operation('deleteAffiliate')
  async delete(call: Call<'deleteAffiliate'>): Promise<ApiResponse> {
    const { position } = await this.records.run(call, { type: 'delete', affiliate_id: call.id });
    return { status: 204, headers: positionHeader(position) };
  }

  @Operation('getAffiliateStats')
  async stats(call: Call<'getAffiliateStats'>): Promise<ApiResponse> {
    const { stats: body, position } = await affiliateStats(this.readModels, call);
    return valueResponse(body, position);
  }
}

const affiliates = {
  kind: 'affiliate',
  stream: (id: AffiliateId) => streams.affiliate(id),
  decider: affiliateDecider,
  recordOf: affiliateRecord,
  projection: affiliatesProjection,
  listSpec: affiliateList,
} as const;
