import { Controller } from '@nestjs/common';
import { entryList, isBoundedByCreation } from '@refledger/contracts';
import { entriesProjection, paddedPosition } from '@refledger/projections';
import { Entries } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { filtersOf, listQuery, type ListOrder } from '../lists/list-query.js';
import { listResponse, valueResponse } from '../http/responses.js';

@Controller()
export class EntriesController {
  constructor(private readonly entries: Entries) {}

  @Operation('listEntries')
  async list(call: Call<'listEntries'>): Promise<ApiResponse> {
    const list = listQuery(call.query, {
      name: entriesProjection.name,
      filters: filtersOf(entryList, call.caller.accountId, call.query),
      ...(!isBoundedByCreation(call.query) && { order: byPosition }),
    });
    const { records, last, position } = await this.entries.list(call, list.query);
    return listResponse(records, list.cursorAfter(last), position);
  }

  @Operation('getEntry')
  async get(call: Call<'getEntry'>): Promise<ApiResponse> {
    const { record: body, position } = await this.entries.get(call, call.id);
    return valueResponse(body, position);
  }
}

const byPosition: ListOrder = {
  sort: 'position',
  fields: entryList.order,
  valuesOf: ({ position = '' }) => [paddedPosition(position)],
};
