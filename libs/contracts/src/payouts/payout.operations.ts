import { payout } from './payout.events.js';
import { entrySchema } from '../balances/entry.record.js';
import { importLineSchema } from './import-line.record.js';
import { payoutSchema } from './payout.record.js';
import { history, list, read } from '../history/record-operations.js';
import { payoutList } from './payout.list.js';
import {
  createPayoutSchema,
  importPayoutSchema,
  payoutEntriesQuerySchema,
  updatePayoutSchema,
} from './payout.requests.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

export const payoutOperations = {
  listPayouts: list('/v1/payouts', 'List payouts', payoutList, payoutSchema),
  createPayout: {
    method: 'POST',
    path: '/v1/payouts',
    scope: 'admin',
    summary: 'Pay an affiliate everything that is payable in one currency',
    idempotent: true,
    etag: true,
    body: createPayoutSchema,
    responses: { 201: payoutSchema, 200: payoutSchema },
    problems: [
      'affiliate_not_found',
      'affiliate_not_active',
      'payout_hold',
      'nothing_payable',
      'below_minimum',
      'too_many_open_payouts',
      'too_many_ranges',
      'idempotency_key_reused',
      'ledger_behind',
    ],
  },
  importPayouts: {
    method: 'POST',
    path: '/v1/payouts/import',
    scope: 'admin',
    summary: 'Import the results of many payouts, one per line',
    bodyLine: importPayoutSchema,
    immutable: immutableIn(payoutSchema, updatePayoutSchema),
    responses: { 200: importLineSchema },
    streamed: true,
    problems: ['too_many_imports'],
  },
  getPayout: read('/v1/payouts/:id', 'payout', 'Read a payout', payoutSchema),
  updatePayout: {
    method: 'PATCH',
    path: '/v1/payouts/:id',
    id: 'payout',
    scope: 'admin',
    summary: 'Change the status, reference or metadata of a payout',
    etag: true,
    body: updatePayoutSchema,
    immutable: immutableIn(payoutSchema, updatePayoutSchema),
    responses: { 200: payoutSchema },
    problems: ['invalid_transition', 'too_many_revisions', 'revision_mismatch', 'immutable_field'],
  },
  listPayoutEntries: {
    method: 'GET',
    path: '/v1/payouts/:id/entries',
    id: 'payout',
    scope: 'read',
    summary: 'List the lines of a payout, by the day on which they became payable',
    query: payoutEntriesQuerySchema,
    responses: { 200: listOf(entrySchema, 'PayoutEntryList') },
    csv: true,
    problems: ['too_many_exports', 'ledger_behind'],
  },
  getPayoutHistory: history(
    '/v1/payouts/:id/history',
    'payout',
    'Read every change to a payout',
    payout,
  ),
} as const satisfies Record<string, OperationSpec>;
