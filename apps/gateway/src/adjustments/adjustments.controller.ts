import { Controller } from '@nestjs/common';
import {
  adjustmentList,
  derivedId,
  newId,
  streams,
  type AccountId,
  type AdjustmentId,
} from '@refledger/contracts';
import { adjustmentDecider, adjustmentRecord } from '@refledger/domain';
import { AdjustmentCommands, Consistency } from '@refledger/application';
import { adjustmentsProjection } from '@refledger/projections';
import { ReadModels } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { RecordChanges } from '../record-changes.js';
import { recordReader, recordResponse } from '../records.js';

/** The operations on adjustments. */
@Controller()
export class AdjustmentsController {
  private readonly reads: ReadsOfKind<AdjustmentId>;

  constructor(
    private readonly changes: RecordChanges,
    private readonly adjustments: AdjustmentCommands,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(adjustmentRecords);
  }

  @Operation('listAdjustments')
  list(call: Call<'listAdjustments'>): Promise<ApiResponse> {
    return listPage(this.readModels, adjustmentsProjection, call, {
      filters: filtersOf(adjustmentList, call.caller.accountId, call.query),
    });
  }

  @Operation('createAdjustment')
  async create({
    caller: { accountId },
    body,
    context,
    idempotencyKey,
  }: Call<'createAdjustment'>): Promise<ApiResponse> {
    const id = idOf(accountId, body.external_id, idempotencyKey);
    const outcome = await this.adjustments.create(id, body, context);
    this.consistency.wrote(accountId, outcome.position);
    return recordResponse(
      record(id, outcome, accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getAdjustment')
  get(call: Call<'getAdjustment'>): Promise<ApiResponse> {
    return this.reads.get(call);
  }

  @Operation('getAdjustmentHistory')
  history(call: Call<'getAdjustmentHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('updateAdjustment')
  update(call: Call<'updateAdjustment'>): Promise<ApiResponse> {
    return this.changes.change(adjustmentRecords, call, {
      type: 'update',
      adjustment_id: call.id,
      patch: call.body,
    });
  }
}

/** Derives the id from what must be unique within the account, as for conversions. */
const idOf = (
  account: AccountId,
  externalId: string | undefined,
  idempotencyKey: string | undefined,
): AdjustmentId => {
  if (externalId !== undefined) return derivedId('adjustment', account, 'external_id', externalId);
  return idempotencyKey === undefined
    ? newId('adjustment')
    : derivedId('adjustment', account, 'idempotency_key', idempotencyKey);
};

const record = recordReader('adjustment', adjustmentRecord);

/** How adjustments are read and changed. */
const adjustmentRecords = {
  kind: 'adjustment',
  stream: (id: AdjustmentId) => streams.adjustment(id),
  decider: adjustmentDecider,
  recordOf: adjustmentRecord,
} as const;
