import { Controller } from '@nestjs/common';
import { affiliateList, derivedId, newId, streams, type AffiliateId } from '@refledger/contracts';
import { affiliateDecider, affiliateRecord } from '@refledger/domain';
import { AffiliateCommands, CommandHandler, Consistency } from '@refledger/application';
import {
  affiliatesProjection,
  affiliateStatsProjection,
  statsFromDocument,
} from '@refledger/projections';
import { ReadModels } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { requireRevision } from '../http/request/if-match.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { positionHeader, recordResponse, recordReader, requireRecord } from '../records.js';

/** The operations on affiliates. */
@Controller()
export class AffiliatesController {
  private readonly reads: ReadsOfKind<AffiliateId>;

  constructor(
    private readonly commands: CommandHandler,
    private readonly affiliates: AffiliateCommands,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(affiliateRecords);
  }

  @Operation('listAffiliates')
  list(call: Call<'listAffiliates'>): Promise<ApiResponse> {
    return listPage(this.readModels, affiliatesProjection, call, {
      filters: filtersOf(affiliateList, call.caller.accountId, call.query),
    });
  }

  @Operation('createAffiliate')
  async create({
    caller,
    body,
    context,
    idempotencyKey,
  }: Call<'createAffiliate'>): Promise<ApiResponse> {
    const id =
      idempotencyKey === undefined
        ? newId('affiliate')
        : derivedId('affiliate', caller.accountId, 'idempotency_key', idempotencyKey);
    const { email, external_id = null, name, program_id, metadata = {} } = body;
    const outcome = await this.affiliates.run({
      command: { type: 'create', affiliate_id: id, email, external_id, name, program_id, metadata },
      context,
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordResponse(
      record(id, outcome, caller.accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getAffiliate')
  get(call: Call<'getAffiliate'>): Promise<ApiResponse> {
    return this.reads.get(call);
  }

  @Operation('getAffiliateHistory')
  history(call: Call<'getAffiliateHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('updateAffiliate')
  async update({
    caller,
    id,
    body,
    context,
    ifMatch,
  }: Call<'updateAffiliate'>): Promise<ApiResponse> {
    const outcome = await this.affiliates.run({
      command: { type: 'update', affiliate_id: id, patch: body },
      context,
      precondition: (loaded) => {
        record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordResponse(record(id, outcome, caller.accountId), outcome, 'changed');
  }

  @Operation('deleteAffiliate')
  async delete({ caller, id, context, ifMatch }: Call<'deleteAffiliate'>): Promise<ApiResponse> {
    const outcome = await this.affiliates.run({
      command: { type: 'delete', affiliate_id: id },
      context,
      precondition: (loaded) => {
        record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }

  @Operation('getAffiliateStats')
  async stats(call: Call<'getAffiliateStats'>): Promise<ApiResponse> {
    const { caller, id } = call;
    const { value, position } = await this.readModels.get(affiliateStatsProjection, id, call);
    const stats =
      value?.['account_id'] === caller.accountId && position !== undefined
        ? statsFromDocument(value, position)
        : undefined;
    return {
      status: 200,
      body: requireRecord('affiliate', id, stats),
      headers: positionHeader(position),
    };
  }
}

const record = recordReader('affiliate', affiliateRecord);

/** How affiliates are read. */
const affiliateRecords = {
  kind: 'affiliate',
  stream: (id: AffiliateId) => streams.affiliate(id),
  decider: affiliateDecider,
  recordOf: affiliateRecord,
} as const;
