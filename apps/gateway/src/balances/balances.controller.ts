import { Controller } from '@nestjs/common';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { BalanceLedger } from './balance-ledger.js';
import { CurrentBalances } from './current-balances.js';
import { PastBalances } from './past-balances.js';

/** The operations on balances. */
@Controller()
export class BalancesController {
  constructor(
    private readonly current: CurrentBalances,
    private readonly past: PastBalances,
    private readonly ledger: BalanceLedger,
  ) {}

  @Operation('listBalances')
  list(call: Call<'listBalances'>): Promise<ApiResponse> {
    return this.current.list(call);
  }

  @Operation('getBalanceSummary')
  summary(call: Call<'getBalanceSummary'>): Promise<ApiResponse> {
    return this.current.summary(call);
  }

  @Operation('getBalance')
  get(call: Call<'getBalance'>): Promise<ApiResponse> {
    const { as_of } = call.query;
    return as_of === undefined ? this.current.get(call) : this.past.get(call, as_of);
  }

  @Operation('getBalanceLedger')
  chained(call: Call<'getBalanceLedger'>): Promise<ApiResponse> {
    return this.ledger.get(call);
  }

  @Operation('getAffiliateBalances')
  ofAffiliate(call: Call<'getAffiliateBalances'>): Promise<ApiResponse> {
    const { as_of } = call.query;
    return as_of === undefined
      ? this.current.ofAffiliate(call)
      : this.past.ofAffiliate(call, as_of);
  }
}
