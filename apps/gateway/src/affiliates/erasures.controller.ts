import { Controller } from '@nestjs/common';
import {
  erasureList,
  streams,
  type AffiliateEvent,
  type AffiliateId,
  type ErasureRecord,
} from '@refledger/contracts';
import { Consistency, Erasures, type ErasureProgress } from '@refledger/application';
import {
  affiliateDecider,
  lastAffiliateRecord,
  type AffiliateState,
  type Erasure,
} from '@refledger/domain';
import { affiliateErasuresProjection } from '@refledger/projections';
import { KeyRegistry, notFound, ReadModels, RecordQueries, shownActor } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { valueResponse } from '../http/responses.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { RecordsParts } from '../records/records.js';

/** The operations that erase affiliates, and on erasures. */
@Controller()
export class ErasuresController {
  private readonly affiliates: RecordQueries<
    'affiliate',
    AffiliateId,
    AffiliateState,
    AffiliateEvent
  >;

  constructor(
    parts: RecordsParts,
    private readonly erasures: Erasures,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    private readonly keys: KeyRegistry,
  ) {
    this.affiliates = new RecordQueries(affiliates, parts);
  }

  @Operation('eraseAffiliate')
  async erase(call: Call<'eraseAffiliate'>): Promise<ApiResponse> {
    const { id, caller, context } = call;
    const { erasure, position } = await this.erasures.erase({
      affiliate_id: id,
      context,
      precondition: (loaded) => void this.affiliates.recordIn(id, loaded, caller.accountId),
    });
    this.consistency.wrote(caller.accountId, position);
    return valueResponse(this.shown(erasure, call), position);
  }

  @Operation('getErasure')
  async get(call: Call<'getErasure'>): Promise<ApiResponse> {
    const { loaded } = await this.affiliates.load(call);
    const erasure = await this.erasures.get(loaded);
    if (erasure === undefined) throw notFound('erasure of affiliate', call.id);
    return valueResponse(this.shown(erasure, call), loaded.position);
  }

  @Operation('listErasures')
  list(call: Call<'listErasures'>): Promise<ApiResponse> {
    const filters = filtersOf(erasureList, call.caller.accountId, call.query);
    return listPage(this.readModels, affiliateErasuresProjection, call, {
      filters,
      shown: async (records) => {
        // a decoding boundary: the projection wrote these records
        const erasures = await this.erasures.withProgress(records as unknown as Erasure[]);
        return erasures.map((erasure) => this.shown(erasure, call));
      },
    });
  }

  private shown(
    { id, created_at, finished_at, actor }: ErasureProgress,
    { caller }: Pick<Call<'getErasure'>, 'caller'>,
  ): ErasureRecord {
    return {
      id,
      object: 'erasure',
      affiliate_id: id,
      status: finished_at === null ? 'running' : 'finished',
      created_at,
      finished_at,
      actor: shownActor(actor, caller.accountId, this.keys),
    };
  }
}

/** Affiliates, of which deleted and erased ones are found as well. */
const affiliates = {
  kind: 'affiliate',
  stream: (id: AffiliateId) => streams.affiliate(id),
  decider: affiliateDecider,
  recordOf: lastAffiliateRecord,
} as const;
