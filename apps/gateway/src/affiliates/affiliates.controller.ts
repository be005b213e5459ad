import { Controller } from '@nestjs/common';
import {
  affiliateList,
  streams,
  validationError,
  type AffiliateId,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { affiliateDecider, affiliateRecord, recordWithHistory } from '@refledger/domain';
import { AffiliateCommands } from '@refledger/application';
import {
  affiliateQuery,
  Keyring,
  emailHashOf,
  externalIdHashOf,
  PersonalData,
} from '@refledger/personal-data';
import { affiliatesProjection } from '@refledger/projections';
import { AffiliateSearch, affiliateStats, ReadModels } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listResponse, positionHeader, valueResponse } from '../http/responses.js';
import { filtersOf, listQuery } from '../lists/list-query.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';

@Controller()
export class AffiliatesController {
  private readonly records: RecordsOf<typeof affiliates>;

  constructor(
    parts: RecordsParts,
    private readonly commands: AffiliateCommands,
    private readonly readModels: ReadModels,
    private readonly personalData: PersonalData,
    private readonly keyring: Keyring,
    private readonly search: AffiliateSearch,
  ) {
    this.records = new Records(affiliates, parts);
  }

  @Operation('listAffiliates')
  async list(call: Call<'listAffiliates'>): Promise<ApiResponse> {
    const query = await this.hashed(call);
    if (query.q !== undefined) return this.found(query.q, { ...call, query });
    return this.records.list(
      { ...call, query },
      {
        // the read model may not have the deletion of an erased affiliate yet
        shown: async (records) => {
          // a decoding boundary: the projection wrote these records
          const affiliates = records as SealedAffiliateRecord[];
          const opened = await this.personalData.openUnlessErased(affiliates);
          return opened.filter((affiliate) => affiliate !== undefined);
        },
      },
    );
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

  /** One page of the affiliates that a text finds. */
  private async found(q: string, { query, ...context }: Call<'listAffiliates'>) {
    const { accountId } = context.caller;
    const searched = affiliateQuery(await this.keyring.ofAccount(accountId), q);
    if (searched === null)
      throw validationError({
        path: 'q',
        code: 'too_short',
        message: 'q must have at least 3 characters, apart from spaces around them.',
      });
    const filters = filtersOf(affiliateList, accountId, query);
    const list = listQuery(query, { name: `affiliates found by ${q}`, filters });
    const { records, next, position } = await this.search.page(searched, list.query, context);
    return listResponse(records, list.cursorAfter(next), position);
  }

  /** The query of a list as documents are compared with it: with hashes for personal values. */
  private async hashed({ caller, query }: Call<'listAffiliates'>) {
    const { email, external_id } = query;
    if (email === undefined && external_id === undefined) return query;
    const keys = await this.keyring.ofAccount(caller.accountId);
    return {
      ...query,
      ...(email !== undefined && { email: emailHashOf(keys, email) }),
      ...(external_id !== undefined && { external_id: externalIdHashOf(keys, external_id) }),
    };
  }
}

const affiliates = {
  kind: 'affiliate',
  stream: (id: AffiliateId) => streams.affiliate(id),
  decider: affiliateDecider,
  recordOf: affiliateRecord,
  recordWithHistory,
  projection: affiliatesProjection,
  listSpec: affiliateList,
} as const;
