import { conversion } from './conversion.events.js';
import { changeOf } from '../history/change.record.js';
import { conversionSchema } from './conversion.record.js';
import { createConversionSchema, updateConversionSchema } from './conversion.requests.js';
import { asOfQuerySchema, historyQuerySchema } from '../history/history.requests.js';
import { conversionList } from './conversion.list.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

/** The operations on conversions, by operation id. */
export const conversionOperations = {
  listConversions: {
    method: 'GET',
    path: '/v1/conversions',
    scope: 'read',
    summary: 'List conversions',
    query: conversionList.query,
    responses: { 200: listOf(conversionSchema, 'ConversionList') },
  },
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
  getConversion: {
    method: 'GET',
    path: '/v1/conversions/:id',
    id: 'conversion',
    scope: 'read',
    summary: 'Read a conversion',
    etag: true,
    query: asOfQuerySchema,
    responses: { 200: conversionSchema },
  },
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
  getConversionHistory: {
    method: 'GET',
    path: '/v1/conversions/:id/history',
    id: 'conversion',
    scope: 'read',
    summary: 'Read every change to a conversion',
    query: historyQuerySchema,
    responses: { 200: listOf(changeOf(conversion, 'ConversionChange'), 'ConversionHistory') },
  },
} as const satisfies Record<string, OperationSpec>;
