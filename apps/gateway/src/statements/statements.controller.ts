import { Controller } from '@nestjs/common';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { Statements } from './statements.js';

/** The operations on statements. */
@Controller()
export class StatementsController {
  constructor(private readonly statements: Statements) {}

  @Operation('getBalanceStatement')
  get(call: Call<'getBalanceStatement'>): Promise<ApiResponse> {
    return call.query.format === 'csv' ? this.statements.csv(call) : this.statements.get(call);
  }

  @Operation('getStatementSummary')
  summary(call: Call<'getStatementSummary'>): Promise<ApiResponse> {
    return this.statements.summary(call);
  }
}
