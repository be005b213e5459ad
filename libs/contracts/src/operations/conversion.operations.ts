import { conversionSchema } from '../records/conversion.record.js';
import { createConversionSchema, updateConversionSchema } from '../requests/conversion.requests.js';
import { listConversionsQuerySchema, noQuerySchema } from '../requests/list.requests.js';
import { immutableIn } from './immutable-in.js';
import { listOf } from './list-of.js';
import type { OperationSpec } from './operation-spec.js';

/** The operations on conversions, by operation id. */
export const conversionOperations = {
  listConversions: {
    method: 'GET',
    path: '/v1/conversions',
    tag: 'Conversions',
    scope: 'read',
    summary: 'List conversions',
    query: listConversionsQuerySchema,
    answers: { 200: listOf(conversionSchema, 'ConversionList') },
    problems: ['read_model_behind'],
  },
  createConversion: {
    method: 'POST',
    path: '/v1/conversions',
    tag: 'Conversions',
    scope: 'write',
    summary: 'Record a conversion',
    idempotent: true,
    etag: true,
    query: noQuerySchema,
    body: createConversionSchema,
    answers: { 201: conversionSchema, 200: conversionSchema },
    problems: [
      'conversion_exists',
      'affiliate_not_found',
      'affiliate_not_active',
      'idempotency_key_reused',
    ],
  },
  getConversion: {
    method: 'GET',
    path: '/v1/conversions/:id',
    tag: 'Conversions',
    scope: 'read',
    summary: 'Read a conversion',
    etag: true,
    query: noQuerySchema,
    answers: { 200: conversionSchema },
    problems: ['read_model_behind'],
  },
  updateConversion: {
    method: 'PATCH',
    path: '/v1/conversions/:id',
    tag: 'Conversions',
    scope: 'write',
    summary: 'Change a conversion',
    etag: true,
    query: noQuerySchema,
    body: updateConversionSchema,
    immutable: immutableIn(conversionSchema, updateConversionSchema),
    answers: { 200: conversionSchema },
    problems: ['invalid_transition', 'too_many_revisions', 'revision_mismatch', 'immutable_field'],
  },
} as const satisfies Record<string, OperationSpec>;
