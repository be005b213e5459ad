import type { OperationSpec } from '../shared/operation-spec.js';
import { statementSchema, statementSummarySchema } from './statement.record.js';
import { statementQuerySchema, statementSummaryQuerySchema } from './statement.requests.js';

const problems = ['ledger_behind'] as const;

export const statementOperations = {
  getBalanceStatement: {
    method: 'GET',
    path: '/v1/balances/:id/statement',
    id: 'balance',
    scope: 'read',
    summary: 'Read what happened to a balance in one month, with its lines, oldest first',
    query: statementQuerySchema,
    responses: { 200: statementSchema },
    csv: true,
    problems,
  },
  getStatementSummary: {
    method: 'GET',
    path: '/v1/statements/summary',
    scope: 'read',
    summary: 'Read the totals of the statements of all balances for one month, per currency',
    query: statementSummaryQuerySchema,
    responses: { 200: statementSummarySchema },
    problems,
  },
} as const satisfies Record<string, OperationSpec>;
