import { Controller } from '@nestjs/common';
import {
  payoutRunList,
  streams,
  type PayoutRunRecord,
  type Position,
  type RunId,
} from '@refledger/contracts';
import { Consistency, PayoutRunCommands } from '@refledger/application';
import { payoutRunDecider, payoutRunRecord, type PayoutRunCommand } from '@refledger/domain';
import { payoutRunsProjection } from '@refledger/projections';
import { ReadModels, RunPreviews, withProgress, type ReadContext } from '@refledger/queries';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';
import { RunFiles } from './files/run-files.js';
import { previewResponse } from './preview-response.js';

/** The operations on payout runs. The ledger carries runs out. */
@Controller()
export class PayoutRunsController {
  private readonly records: RecordsOf<typeof payoutRuns>;

  constructor(
    parts: RecordsParts,
    private readonly commands: PayoutRunCommands,
    private readonly files: RunFiles,
    private readonly previews: RunPreviews,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
  ) {
    const complete = this.complete.bind(this);
    this.records = new Records({ ...payoutRuns, complete }, parts);
  }

  @Operation('listPayoutRuns')
  list(call: Call<'listPayoutRuns'>): Promise<ApiResponse> {
    return this.records.list(call);
  }

  @Operation('createPayoutRun')
  async create(call: Call<'createPayoutRun'>): Promise<ApiResponse> {
    const { body, caller, context, idempotencyKey: idempotency_key } = call;
    if (body.preview === true) {
      await this.commands.requireNamed(body, caller.accountId);
      return previewResponse(this.previews, call);
    }
    const id = newRecordId('run', caller.accountId, { idempotency_key });
    const position = await this.consistency.readHead();
    if (position === undefined) throw new TypeError('the log of an account has no events');
    const outcome = await this.commands.start(id, { run: body, position }, context);
    return this.records.created(call, id, outcome, 'started');
  }

  @Operation('getPayoutRun')
  get(call: Call<'getPayoutRun'>): Promise<ApiResponse> {
    return this.records.get({ ...call, query: {} });
  }

  @Operation('getPayoutRunFile')
  file(call: Call<'getPayoutRunFile'>): Promise<ApiResponse> {
    return this.files.file(call);
  }

  @Operation('getPayoutRunHistory')
  history(call: Call<'getPayoutRunHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('updatePayoutRun')
  async update(call: Call<'updatePayoutRun'>): Promise<ApiResponse> {
    const response = await this.records.update(call, (_, recordedAt): PayoutRunCommand => ({
      type: 'update',
      run_id: call.id,
      patch: call.body,
      recordedAt,
    }));
    return { ...response, status: 202 };
  }

  /** All later reads show what the ledger has done by then, as they show the account's own writes. */
  private complete(
    run: PayoutRunRecord,
    position: Position | undefined,
    call: ReadContext,
  ): Promise<PayoutRunRecord> {
    this.consistency.wrote(call.caller.accountId, position);
    return withProgress(this.readModels, run, call);
  }
}

const payoutRuns = {
  kind: 'payout_run',
  stream: (id: RunId) => streams.payout_run(id),
  decider: payoutRunDecider,
  recordOf: payoutRunRecord,
  projection: payoutRunsProjection,
  listSpec: payoutRunList,
} as const;
