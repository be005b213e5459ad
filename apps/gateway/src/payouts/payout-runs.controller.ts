import { Controller } from '@nestjs/common';
import {
  derivedId,
  newId,
  payoutRunList,
  streams,
  toPosition,
  type AccountId,
  type PayoutRunRecord,
  type RunId,
} from '@refledger/contracts';
import { Consistency, PayoutRunCommands } from '@refledger/application';
import {
  payoutRunDecider,
  payoutRunRecord,
  shownTotals,
  type PayoutRunCommand,
} from '@refledger/domain';
import { payoutRunsProjection, type PayoutRunDocument } from '@refledger/projections';
import { type ReadContext, ReadModels, RunPreviews } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import { Operation } from '../http/operation.decorator.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { RecordChanges } from '../record-changes.js';
import { recordReader, recordResponse } from '../records.js';
import { RunFiles } from './files/run-files.js';
import { previewResponse } from './preview-response.js';

/** The operations on payout runs. The ledger carries runs out. */
@Controller()
export class PayoutRunsController {
  private readonly reads: ReadsOfKind<RunId>;

  constructor(
    private readonly changes: RecordChanges,
    private readonly runs: PayoutRunCommands,
    private readonly files: RunFiles,
    private readonly previews: RunPreviews,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(payoutRunRecords);
  }

  @Operation('listPayoutRuns')
  list(call: Call<'listPayoutRuns'>): Promise<ApiResponse> {
    return listPage(this.readModels, payoutRunsProjection, call, {
      filters: filtersOf(payoutRunList, call.caller.accountId, call.query),
    });
  }

  @Operation('createPayoutRun')
  async create(call: Call<'createPayoutRun'>): Promise<ApiResponse> {
    const { accountId } = call.caller;
    if (call.body.preview === true) {
      await this.runs.requireNamed(call.body, accountId);
      return previewResponse(this.previews, call);
    }
    const id = idOf(accountId, call.idempotencyKey);
    const position = await this.consistency.readHead();
    if (position === undefined) throw new TypeError('the log of an account has no events');
    const outcome = await this.runs.start(id, { run: call.body, position }, call.context);
    this.consistency.wrote(accountId, outcome.position);
    const how = outcome.events.length > 0 ? 'started' : 'replayed';
    return recordResponse(
      await this.withProgress(record(id, outcome, accountId), call),
      outcome,
      how,
    );
  }

  @Operation('getPayoutRun')
  async get(call: Call<'getPayoutRun'>): Promise<ApiResponse> {
    const response = await this.reads.get({ ...call, query: {} });
    // all later reads show what the ledger has done by then, as they show the account's own writes
    this.consistency.wrote(
      call.caller.accountId,
      toPosition(response.headers?.['refledger-position'] ?? ''),
    );
    // a response with this operation's record
    return { ...response, body: await this.withProgress(response.body as PayoutRunRecord, call) };
  }

  @Operation('getPayoutRunFile')
  file(call: Call<'getPayoutRunFile'>): Promise<ApiResponse> {
    return this.files.file(call);
  }

  @Operation('getPayoutRunHistory')
  history(call: Call<'getPayoutRunHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('updatePayoutRun')
  async update(call: Call<'updatePayoutRun'>): Promise<ApiResponse> {
    const response = await this.changes.change(
      payoutRunRecords,
      call,
      (_, recordedAt): PayoutRunCommand => ({
        type: 'update',
        run_id: call.id,
        patch: call.body,
        recordedAt,
      }),
    );
    const body = await this.withProgress(response.body as PayoutRunRecord, call);
    return { ...response, status: 202, body };
  }

  /** An unfinished run with what it has paid so far, which its own stream does not say. */
  private async withProgress(run: PayoutRunRecord, context: ReadContext): Promise<PayoutRunRecord> {
    if (run.status === 'finished') return run;
    const { value } = await this.readModels.get(payoutRunsProjection, run.id, context);
    if (value === undefined) return run;
    // a decoding boundary: the projection wrote this document
    const { record, totals } = value as PayoutRunDocument;
    const { created } = record.payouts;
    return { ...run, payouts: { ...run.payouts, created }, totals: shownTotals(totals) };
  }
}

const idOf = (account: AccountId, idempotencyKey: string | undefined): RunId =>
  idempotencyKey === undefined
    ? newId('run')
    : derivedId('run', account, 'idempotency_key', idempotencyKey);

const record = recordReader('payout run', payoutRunRecord);

/** How payout runs are read and changed. */
const payoutRunRecords = {
  kind: 'payout_run',
  stream: (id: RunId) => streams.payout_run(id),
  decider: payoutRunDecider,
  recordOf: payoutRunRecord,
} as const;
