import { balanceSummarySchema } from './balance-summary.record.js';
import { balanceSchema } from './balance.record.js';
import { entrySchema } from './entry.record.js';
import { ledgerLineSchema } from './ledger-line.record.js';
import { statementSchema, statementSummarySchema } from '../statements/statement.record.js';
import { balanceQuerySchema, balanceSummaryQuerySchema } from './balance.requests.js';
import { balanceList } from './balance.list.js';
import { entryList } from './entry.list.js';
import {
  statementQuerySchema,
  statementSummaryQuerySchema,
} from '../statements/statement.requests.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';

const balances = listOf(balanceSchema, 'BalanceList');
const problems = ['ledger_behind'] as const;

/** The operations on balances and their entries, by operation id. */
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
  listEntries: {
    method: 'GET',
    path: '/v1/entries',
    scope: 'read',
    summary: 'List entries of balances',
    query: entryList.query,
    responses: { 200: listOf(entrySchema, 'EntryList') },
    problems,
  },
  getEntry: {
    method: 'GET',
    path: '/v1/entries/:id',
    id: 'entry',
    scope: 'read',
    summary: 'Read an entry',
    responses: { 200: entrySchema },
    problems,
  },
} as const satisfies Record<string, OperationSpec>;
