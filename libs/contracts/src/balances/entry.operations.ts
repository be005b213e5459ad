import { listOf, type OperationSpec } from '../shared/operation-spec.js';
import { entryList } from './entry.list.js';
import { entrySchema } from './entry.record.js';

const problems = ['ledger_behind'] as const;

export const entryOperations = {
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
