import { Controller } from '@nestjs/common';
import { derivedId, newId, payoutList, type AccountId, type PayoutId } from '@refledger/contracts';
import { Payouts } from '@refledger/balances';
import { Consistency } from '@refledger/application';
import { payoutRecord } from '@refledger/domain';
import { payoutsProjection } from '@refledger/projections';
import { ReadModels } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf, type ListOrder } from '../lists/list-query.js';
import { RecordChanges } from '../record-changes.js';
import { recordReader, recordResponse } from '../records.js';
import { Imports } from '../imports/imports.js';
import { EntryLists } from './entry-lists.js';
import { payoutImport } from './payout-import.js';
import { payoutRecords } from './payout-records.js';

/** The operations on payouts. */
@Controller()
export class PayoutsController {
  private readonly reads: ReadsOfKind<PayoutId>;

  constructor(
    private readonly changes: RecordChanges,
    private readonly payouts: Payouts,
    private readonly entries: EntryLists,
    private readonly imports: Imports,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(payoutRecords);
  }

  @Operation('listPayouts')
  list(call: Call<'listPayouts'>): Promise<ApiResponse> {
    return listPage(this.readModels, payoutsProjection, call, {
      filters: filtersOf(payoutList, call.caller.accountId, call.query),
      ...(isByCompletion(call.query) && { order: byCompletion }),
    });
  }

  @Operation('createPayout')
  async create(call: Call<'createPayout'>): Promise<ApiResponse> {
    const { accountId } = call.caller;
    const id = idOf(accountId, call.idempotencyKey);
    const outcome = await this.payouts.create(id, call.body, call);
    this.consistency.wrote(accountId, outcome.position);
    return recordResponse(
      record(id, outcome, accountId),
      outcome,
      outcome.isNew ? 'created' : 'replayed',
    );
  }

  @Operation('importPayouts')
  import(call: Call<'importPayouts'>): Promise<ApiResponse> {
    return this.imports.start(call, payoutImport(this.changes, call));
  }

  @Operation('getPayout')
  get(call: Call<'getPayout'>): Promise<ApiResponse> {
    return this.reads.get(call);
  }

  @Operation('getPayoutHistory')
  history(call: Call<'getPayoutHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('listPayoutEntries')
  listEntries(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    return call.query.format === 'csv' ? this.entries.csv(call) : this.entries.list(call);
  }

  @Operation('updatePayout')
  update(call: Call<'updatePayout'>): Promise<ApiResponse> {
    return this.changes.change(payoutRecords, call, (_, recordedAt) => ({
      payout_id: call.id,
      patch: call.body,
      recordedAt,
    }));
  }
}

const idOf = (account: AccountId, idempotencyKey: string | undefined): PayoutId =>
  idempotencyKey === undefined
    ? newId('payout')
    : derivedId('payout', account, 'idempotency_key', idempotencyKey);

/**
 * A list in the order of creation would have to pass over any number of payouts outside the bounds.
 */
const isByCompletion = (query: Call<'listPayouts'>['query']): boolean =>
  query.completed_after !== undefined || query.completed_before !== undefined;

const byCompletion: ListOrder = {
  sort: 'created_at',
  fields: ['completed_at', 'id'],
  // a payout that was never completed is outside all bounds
  valuesOf: ({ completed_at, id }) => [completed_at ?? '', id],
};

const record = recordReader('payout', payoutRecord);
