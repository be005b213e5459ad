import { z } from 'zod';
import { payoutRun } from './payout-run.events.js';
import { payoutRunPreviewSchema } from './payout-run-preview.record.js';
import { payoutRunSchema } from './payout-run.record.js';
import { history, list } from '../history/record-operations.js';
import { payoutRunList } from './payout-run.list.js';
import {
  createPayoutRunSchema,
  payoutFileQuerySchema,
  updatePayoutRunSchema,
} from './payout-run.requests.js';
import { immutableIn, type OperationSpec } from '../shared/operation-spec.js';

export const payoutRunOperations = {
  listPayoutRuns: list('/v1/payout-runs', 'List payout runs', payoutRunList, payoutRunSchema),
  createPayoutRun: {
    method: 'POST',
    path: '/v1/payout-runs',
    scope: 'admin',
    summary: 'Start a payout run, or preview one',
    idempotent: true,
    etag: true,
    body: createPayoutRunSchema,
    responses: {
      202: payoutRunSchema,
      200: z.discriminatedUnion('object', [payoutRunSchema, payoutRunPreviewSchema]),
    },
    problems: [
      'program_not_found',
      'affiliate_not_found',
      'idempotency_key_reused',
      'read_model_behind',
      'ledger_behind',
    ],
  },
  getPayoutRun: {
    method: 'GET',
    path: '/v1/payout-runs/:id',
    id: 'run',
    scope: 'read',
    summary: 'Read a payout run',
    etag: true,
    responses: { 200: payoutRunSchema },
  },
  updatePayoutRun: {
    method: 'PATCH',
    path: '/v1/payout-runs/:id',
    id: 'run',
    scope: 'admin',
    summary: 'Mark all payouts of a run, or change its description or metadata',
    etag: true,
    body: updatePayoutRunSchema,
    immutable: immutableIn(payoutRunSchema, updatePayoutRunSchema),
    responses: { 202: payoutRunSchema },
    problems: [
      'invalid_transition',
      'too_many_revisions',
      'revision_mismatch',
      'immutable_field',
      'read_model_behind',
    ],
  },
  getPayoutRunFile: {
    method: 'GET',
    path: '/v1/payout-runs/:id/file',
    id: 'run',
    scope: 'admin',
    summary: 'Download the payouts of a run, for review or for a payment provider',
    query: payoutFileQuerySchema,
    responses: { 200: z.string() },
    file: true,
    problems: [
      'invalid_transition',
      'currency_not_supported',
      'payee_unusable',
      'payee_changed',
      'ledger_behind',
      'too_many_exports',
    ],
  },
  getPayoutRunHistory: history(
    '/v1/payout-runs/:id/history',
    'run',
    'Read every change to a payout run',
    payoutRun,
  ),
} as const satisfies Record<string, OperationSpec>;
