import { Controller } from '@nestjs/common';
import { balanceList } from '@refledger/contracts';
import { balancesProjection } from '@refledger/projections';
import { BalanceLedger, CurrentBalances, PastBalances } from '@refledger/queries';
import { asOfHeaders, listResponse, positionHeader, valueResponse } from '../http/responses.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { filtersOf, listQuery } from '../lists/list-query.js';
import { LedgerStreams } from './ledger-streams.js';

@Controller()
export class BalancesController {
  constructor(
    private readonly current: CurrentBalances,
    private readonly past: PastBalances,
    private readonly ledger: BalanceLedger,
    private readonly streams: LedgerStreams,
  ) {}

  @Operation('listBalances')
  async list(call: Call<'listBalances'>): Promise<ApiResponse> {
    const { caller, query } = call;
    const { not_eligible: reason } = query;
    const days = this.current.days(query.on);
    const { name } = balancesProjection;
    const list = listQuery(query, {
      name: reason === undefined ? name : `${name} not_eligible=${reason}`,
      filters: filtersOf(balanceList, caller.accountId, query),
    });
    const page = await this.current.list(call, { query: list.query, days, reason });
    return listResponse(page.records, list.cursorAfter(page.last), page.position);
  }

  @Operation('getBalanceSummary')
  async summary(call: Call<'getBalanceSummary'>): Promise<ApiResponse> {
    const body = await this.current.summary(call, call.query);
    return valueResponse(body, body.position);
  }

  @Operation('getBalance')
  async get(call: Call<'getBalance'>): Promise<ApiResponse> {
    const { id, query } = call;
    const { as_of, on } = query;
    if (as_of === undefined) {
      const { record: body, position } = await this.current.get(call, id, on);
      return valueResponse(body, position);
    }
    const { record: body, position } = await this.past.get(call, id, { as_of, on });
    return { status: 200, body, headers: asOfHeaders(position, call) };
  }

  @Operation('getBalanceLedger')
  async chained(call: Call<'getBalanceLedger'>): Promise<ApiResponse> {
    const { text, position } = await this.ledger.get(call, call.id);
    return {
      status: 200,
      ndjson: this.streams.send(call.caller, text),
      headers: positionHeader(position),
    };
  }

  @Operation('getAffiliateBalances')
  async ofAffiliate(call: Call<'getAffiliateBalances'>): Promise<ApiResponse> {
    const { id, query } = call;
    const { as_of, on } = query;
    if (as_of === undefined) {
      const { records, position } = await this.current.ofAffiliate(call, id, on);
      return listResponse(records, null, position);
    }
    const { records, position } = await this.past.ofAffiliate(call, id, { as_of, on });
    return { ...listResponse(records, null, position), headers: asOfHeaders(position, call) };
  }
}
