import { adjustment } from './adjustment.events.js';
import { adjustmentSchema } from './adjustment.record.js';
import { changeOf } from '../history/change.record.js';
import { createAdjustmentSchema, updateAdjustmentSchema } from './adjustment.requests.js';
import { asOfQuerySchema, historyQuerySchema } from '../history/history.requests.js';
import { adjustmentList } from './adjustment.list.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

/** The operations on adjustments, by operation id. */
export const adjustmentOperations = {
  listAdjustments: {
    method: 'GET',
    path: '/v1/adjustments',
    scope: 'read',
    summary: 'List adjustments',
    query: adjustmentList.query,
    responses: { 200: listOf(adjustmentSchema, 'AdjustmentList') },
  },
  createAdjustment: {
    method: 'POST',
    path: '/v1/adjustments',
    scope: 'admin',
    summary: 'Adjust what an affiliate is owed: a bonus or a deduction',
    idempotent: true,
    identifiedBy: 'external_id',
    etag: true,
    body: createAdjustmentSchema,
    responses: { 201: adjustmentSchema, 200: adjustmentSchema },
    problems: ['adjustment_exists', 'affiliate_not_found', 'idempotency_key_reused'],
  },
  getAdjustment: {
    method: 'GET',
    path: '/v1/adjustments/:id',
    id: 'adjustment',
    scope: 'read',
    summary: 'Read an adjustment',
    etag: true,
    query: asOfQuerySchema,
    responses: { 200: adjustmentSchema },
  },
  updateAdjustment: {
    method: 'PATCH',
    path: '/v1/adjustments/:id',
    id: 'adjustment',
    scope: 'admin',
    summary: 'Void an adjustment, or change its metadata',
    etag: true,
    body: updateAdjustmentSchema,
    immutable: immutableIn(adjustmentSchema, updateAdjustmentSchema),
    responses: { 200: adjustmentSchema },
    problems: ['invalid_transition', 'too_many_revisions', 'revision_mismatch', 'immutable_field'],
  },
  getAdjustmentHistory: {
    method: 'GET',
    path: '/v1/adjustments/:id/history',
    id: 'adjustment',
    scope: 'read',
    summary: 'Read every change to an adjustment',
    query: historyQuerySchema,
    responses: { 200: listOf(changeOf(adjustment, 'AdjustmentChange'), 'AdjustmentHistory') },
  },
} as const satisfies Record<string, OperationSpec>;
