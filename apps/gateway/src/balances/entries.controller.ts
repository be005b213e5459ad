import { Controller } from '@nestjs/common';
import { entryList, isBoundedByCreation } from '@refledger/contracts';
import { entriesProjection, paddedPosition } from '@refledger/projections';
import { MoneyReads } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { filtersOf, listQuery, type ListOrder } from '../lists/list-query.js';
import { positionHeader, requireRecord } from '../records.js';
import { entriesIn, entriesResponse, entryProjections, showEntries } from './shown-entries.js';

/** The operations on entries. */
@Controller()
export class EntriesController {
  constructor(private readonly money: MoneyReads) {}

  @Operation('listEntries')
  async list(call: Call<'listEntries'>): Promise<ApiResponse> {
    const list = listQuery(call.query, {
      name: entriesProjection.name,
      filters: filtersOf(entryList, call.caller.accountId, call.query),
      ...(!isBoundedByCreation(call.query) && { order: byPosition }),
    });
    await this.money.settle(entryProjections, call);
    const { value, position } = await this.money.find(entriesProjection, list.query);
    const { rows, nextCursor } = list.cut(entriesIn(value));
    return entriesResponse(await showEntries(this.money, { value: rows, position }), nextCursor);
  }

  @Operation('getEntry')
  async get(call: Call<'getEntry'>): Promise<ApiResponse> {
    await this.money.settle(entryProjections, call);
    const { value, position } = await this.money.get(entriesProjection, call.id);
    const own = value?.['account_id'] === call.caller.accountId ? entriesIn([value]) : [];
    const shown = await showEntries(this.money, { value: own, position });
    const body = requireRecord('entry', call.id, shown.records[0]);
    return { status: 200, body, headers: positionHeader(shown.position) };
  }
}

const byPosition: ListOrder = {
  sort: 'position',
  fields: entryList.order,
  valuesOf: ({ position = '' }) => [paddedPosition(position)],
};
