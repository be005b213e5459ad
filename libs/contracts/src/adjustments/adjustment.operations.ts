import { adjustment } from './adjustment.events.js';
import { adjustmentSchema } from './adjustment.record.js';
import { createAdjustmentSchema, updateAdjustmentSchema } from './adjustment.requests.js';
import { history, list, read } from '../history/record-operations.js';
import { adjustmentList } from './adjustment.list.js';
import { immutableIn, type OperationSpec } from '../shared/operation-spec.js';

export const adjustmentOperations = {
  listAdjustments: list('/v1/adjustments', 'List adjustments', adjustmentList, adjustmentSchema),
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
  getAdjustment: read('/v1/adjustments/:id', 'adjustment', 'Read an adjustment', adjustmentSchema),
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
  getAdjustmentHistory: history(
    '/v1/adjustments/:id/history',
    'adjustment',
    'Read every change to an adjustment',
    adjustment,
  ),
} as const satisfies Record<string, OperationSpec>;
