import { conversion } from './conversion.events.js';
import { conversionSchema } from './conversion.record.js';
import { createConversionSchema, updateConversionSchema } from './conversion.requests.js';
import { history, list, read } from '../history/record-operations.js';
import { conversionList } from './conversion.list.js';
import { immutableIn, type OperationSpec } from '../shared/operation-spec.js';

export const conversionOperations = {
  listConversions: list('/v1/conversions', 'List conversions', conversionList, conversionSchema),
  createConversion: {
    method: 'POST',
    path: '/v1/conversions',
    scope: 'write',
    summary: 'Record a conversion',
    idempotent: true,
    identifiedBy: 'external_transaction_id',
    etag: true,
    body: createConversionSchema,
    responses: { 201: conversionSchema, 200: conversionSchema },
    problems: [
      'conversion_exists',
      'affiliate_not_found',
      'affiliate_not_active',
      'program_not_active',
      'idempotency_key_reused',
    ],
  },
  getConversion: read('/v1/conversions/:id', 'conversion', 'Read a conversion', conversionSchema),
  updateConversion: {
    method: 'PATCH',
    path: '/v1/conversions/:id',
    id: 'conversion',
    scope: 'write',
    summary: 'Change a conversion',
    etag: true,
    body: updateConversionSchema,
    immutable: immutableIn(conversionSchema, updateConversionSchema),
    responses: { 200: conversionSchema },
    problems: [
      'invalid_transition',
      'too_many_revisions',
      'revision_mismatch',
      'precondition_required',
      'immutable_field',
    ],
  },
  getConversionHistory: history(
    '/v1/conversions/:id/history',
    'conversion',
    'Read every change to a conversion',
    conversion,
  ),
} as const satisfies Record<string, OperationSpec>;
