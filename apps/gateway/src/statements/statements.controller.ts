import { Controller } from '@nestjs/common';
import { Statements } from '@refledger/queries';
import { LedgerStreams } from '../balances/ledger-streams.js';
import { requireNoPage } from '../exports/without-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { csvResponse, valueResponse } from '../http/responses.js';
import { cursorAfter, pageRequest } from './statement-cursor.js';
import { statementCsv } from './statement-csv.js';

@Controller()
export class StatementsController {
  constructor(
    private readonly statements: Statements,
    private readonly streams: LedgerStreams,
  ) {}

  @Operation('getBalanceStatement')
  async get(call: Call<'getBalanceStatement'>): Promise<ApiResponse> {
    const { id, query } = call;
    if (query.format === 'csv') return this.csv(call);
    const period = this.statements.period(query.month);
    const scope = ['statement', id, period.month];
    const page = pageRequest(query, scope);
    const { statement, last, position } = await this.statements.get(call, { id, period }, page);
    const next_cursor = cursorAfter(last, scope);
    const body = { ...statement, has_more: next_cursor !== null, next_cursor };
    return valueResponse(body, position);
  }

  @Operation('getStatementSummary')
  async summary(call: Call<'getStatementSummary'>): Promise<ApiResponse> {
    const period = this.statements.period(call.query.month);
    const body = await this.statements.summary(call, period);
    return valueResponse(body, body.position);
  }

  /** A statement with all of its lines, with a bounded amount of memory. */
  private async csv(call: Call<'getBalanceStatement'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    requireNoPage(query);
    const period = this.statements.period(query.month);
    const { sheet, rows, position } = await this.statements.sheet(call, { id, period });
    const csv = this.streams.send(caller, statementCsv(rows, sheet));
    return csvResponse(csv, `statement-${id}-${period.month}`, position);
  }
}
