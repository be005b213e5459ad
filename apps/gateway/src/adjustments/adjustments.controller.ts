import { Controller } from '@nestjs/common';
import { adjustmentList, streams, type AdjustmentId } from '@refledger/contracts';
import { adjustmentDecider, adjustmentRecord } from '@refledger/domain';
import { AdjustmentCommands } from '@refledger/application';
import { adjustmentsProjection } from '@refledger/projections';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';

@Controller()
export class AdjustmentsController {
  private readonly records: RecordsOf<typeof adjustments>;

  constructor(
    parts: RecordsParts,
    private readonly commands: AdjustmentCommands,
  ) {
    this.records = new Records(adjustments, parts);
  }

  @Operation('listAdjustments')
  list(call: Call<'listAdjustments'>): Promise<ApiResponse> {
    return this.records.list(call);
  }

  @Operation('createAdjustment')
  async create(call: Call<'createAdjustment'>): Promise<ApiResponse> {
    const { body, caller, context, idempotencyKey: idempotency_key } = call;
    const { external_id } = body;
    const id = newRecordId('adjustment', caller.accountId, { external_id, idempotency_key });
    return this.records.created(call, id, await this.commands.create(id, body, context));
  }

  @Operation('getAdjustment')
  get(call: Call<'getAdjustment'>): Promise<ApiResponse> {
    return this.records.get(call);
  }

  @Operation('getAdjustmentHistory')
  history(call: Call<'getAdjustmentHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('updateAdjustment')
  update(call: Call<'updateAdjustment'>): Promise<ApiResponse> {
    return this.records.update(call, {
      type: 'update',
      adjustment_id: call.id,
      patch: call.body,
    });
  }
}

const adjustments = {
  kind: 'adjustment',
  stream: (id: AdjustmentId) => streams.adjustment(id),
  decider: adjustmentDecider,
  recordOf: adjustmentRecord,
  projection: adjustmentsProjection,
  listSpec: adjustmentList,
} as const;
