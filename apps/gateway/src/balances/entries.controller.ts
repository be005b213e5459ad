import { Controller } from '@nestjs/common';
import { entryList } from '@refledger/contracts';
import { entriesProjection, paddedPosition } from '@refledger/projections';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { filtersOf, listQuery, type ListOrder } from '../lists/list-query.js';
import { positionHeader, requireRecord } from '../records.js';
import { MoneyReads } from './money-reads.js';

/** The operations on entries. */
@Controller()
export class EntriesController {
  constructor(private readonly money: MoneyReads) {}

  @Operation('listEntries')
  async list(call: Call<'listEntries'>): Promise<ApiResponse> {
    const list = listQuery(call.query, {
      name: entriesProjection.name,
      filters: filtersOf(entryList, call.caller.accountId, call.query),
      order: byPosition,
    });
    await this.money.settle([entriesProjection], call);
    const { value, position } = await this.money.findJson(entriesProjection, list.query);
    return { status: 200, json: list.page(value), headers: positionHeader(position) };
  }

  @Operation('getEntry')
  async get(call: Call<'getEntry'>): Promise<ApiResponse> {
    await this.money.settle([entriesProjection], call);
    const { value, position } = await this.money.get(entriesProjection, call.id);
    const isOwn = value?.['account_id'] === call.caller.accountId;
    const body = requireRecord('entry', call.id, isOwn ? value?.record : undefined);
    return { status: 200, body, headers: positionHeader(position) };
  }
}

const byPosition: ListOrder = {
  sort: 'position',
  fields: entryList.order,
  valuesOf: ({ position = '' }) => [paddedPosition(position)],
};
