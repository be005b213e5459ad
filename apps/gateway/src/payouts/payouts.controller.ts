import { Controller } from '@nestjs/common';
import { payoutList, streams, type PayoutId, type UpdatePayout } from '@refledger/contracts';
import { newContext } from '@refledger/application';
import { Payouts } from '@refledger/balances';
import { payoutDecider, payoutRecord } from '@refledger/domain';
import { payoutsProjection } from '@refledger/projections';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { Imports } from '../imports/imports.js';
import type { ListOrder } from '../lists/list-query.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';
import { EntryLists } from './entry-lists.js';
import { payoutImport } from './payout-import.js';

@Controller()
export class PayoutsController {
  private readonly records: RecordsOf<typeof payouts>;

  constructor(
    parts: RecordsParts,
    private readonly commands: Payouts,
    private readonly entries: EntryLists,
    private readonly imports: Imports,
  ) {
    this.records = new Records(payouts, parts);
  }

  @Operation('listPayouts')
  list(call: Call<'listPayouts'>): Promise<ApiResponse> {
    return this.records.list(call, isByCompletion(call.query) ? { order: byCompletion } : {});
  }

  @Operation('createPayout')
  async create(call: Call<'createPayout'>): Promise<ApiResponse> {
    const { body, caller, idempotencyKey: idempotency_key } = call;
    const id = newRecordId('payout', caller.accountId, { idempotency_key });
    return this.records.created(call, id, await this.commands.create(id, body, call));
  }

  @Operation('importPayouts')
  import(call: Call<'importPayouts'>): Promise<ApiResponse> {
    const lines = payoutImport((id, patch) => {
      const change = { ...call, id, context: newContext(call.context) };
      return this.records.run(change, updateOf(id, patch));
    });
    return this.imports.start(call, lines);
  }

  @Operation('getPayout')
  get(call: Call<'getPayout'>): Promise<ApiResponse> {
    return this.records.get(call);
  }

  @Operation('getPayoutHistory')
  history(call: Call<'getPayoutHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('listPayoutEntries')
  listEntries(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    return call.query.format === 'csv' ? this.entries.csv(call) : this.entries.list(call);
  }

  @Operation('updatePayout')
  update(call: Call<'updatePayout'>): Promise<ApiResponse> {
    return this.records.update(call, updateOf(call.id, call.body));
  }
}

const updateOf =
  (payout_id: PayoutId, patch: UpdatePayout) => (_: unknown, recordedAt: string) => ({
    payout_id,
    patch,
    recordedAt,
  });

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

const payouts = {
  kind: 'payout',
  stream: (id: PayoutId) => streams.payout(id),
  decider: payoutDecider,
  recordOf: payoutRecord,
  projection: payoutsProjection,
  listSpec: payoutList,
} as const;
