import { balanceSummarySchema } from './balance-summary.record.js';
import { balanceSchema } from './balance.record.js';
import { ledgerLineSchema } from './ledger-line.record.js';
import { balanceQuerySchema, balanceSummaryQuerySchema } from './balance.requests.js';
import { balanceList } from './balance.list.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';

const balances = listOf(balanceSchema, 'BalanceList');
const problems = ['ledger_behind'] as const;

export const balanceOperations = {
  listBalances: {
    method: 'GET',
    path: '/v1/balances',
    scope: 'read',
    summary: 'List balances',
    query: balanceList.query,
    responses: { 200: balances },
    problems,
  },
  getBalanceSummary: {
    method: 'GET',
    path: '/v1/balances/summary',
    scope: 'read',
    summary: 'Read the totals of the open balances, per currency',
    query: balanceSummaryQuerySchema,
    responses: { 200: balanceSummarySchema },
    problems,
  },
  getBalance: {
    method: 'GET',
    path: '/v1/balances/:id',
    id: 'balance',
    scope: 'read',
    summary: 'Read a balance',
    query: balanceQuerySchema,
    responses: { 200: balanceSchema },
    problems,
  },
  getBalanceLedger: {
    method: 'GET',
    path: '/v1/balances/:id/ledger',
    id: 'balance',
    scope: 'read',
    summary: 'Read every chained event of a balance, oldest first, to check its hash chain',
    responses: { 200: ledgerLineSchema },
    streamed: true,
    problems,
  },
} as const satisfies Record<string, OperationSpec>;

/** The operation on the balances of one affiliate. The OpenAPI document has it after statements. */
export const affiliateBalanceOperations = {
  getAffiliateBalances: {
    method: 'GET',
    path: '/v1/affiliates/:id/balances',
    id: 'affiliate',
    scope: 'read',
    summary: 'Read all balances of an affiliate, one per currency, on one page',
    query: balanceQuerySchema,
    responses: { 200: balances },
    problems,
  },
} as const satisfies Record<string, OperationSpec>;
