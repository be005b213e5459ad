import { affiliateSchema } from '../records/affiliate.record.js';
import { affiliateStatsSchema } from '../records/affiliate-stats.record.js';
import { createAffiliateSchema, updateAffiliateSchema } from '../requests/affiliate.requests.js';
import { listAffiliatesQuerySchema, noQuerySchema } from '../requests/list.requests.js';
import { immutableIn } from './immutable-in.js';
import { listOf } from './list-of.js';
import type { OperationSpec } from './operation-spec.js';

/** The operations on affiliates, by operation id. */
export const affiliateOperations = {
  listAffiliates: {
    method: 'GET',
    path: '/v1/affiliates',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'List affiliates',
    query: listAffiliatesQuerySchema,
    answers: { 200: listOf(affiliateSchema, 'AffiliateList') },
    problems: ['read_model_behind'],
  },
  createAffiliate: {
    method: 'POST',
    path: '/v1/affiliates',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Add an affiliate',
    idempotent: true,
    etag: true,
    query: noQuerySchema,
    body: createAffiliateSchema,
    answers: { 201: affiliateSchema, 200: affiliateSchema },
    problems: ['not_found', 'affiliate_exists', 'program_not_found', 'idempotency_key_reused'],
  },
  getAffiliate: {
    method: 'GET',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'Read an affiliate',
    etag: true,
    query: noQuerySchema,
    answers: { 200: affiliateSchema },
    problems: ['read_model_behind'],
  },
  updateAffiliate: {
    method: 'PATCH',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Change an affiliate',
    etag: true,
    query: noQuerySchema,
    body: updateAffiliateSchema,
    immutable: immutableIn(affiliateSchema, updateAffiliateSchema),
    answers: { 200: affiliateSchema },
    problems: [
      'affiliate_exists',
      'invalid_transition',
      'too_many_revisions',
      'revision_mismatch',
      'immutable_field',
    ],
  },
  deleteAffiliate: {
    method: 'DELETE',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Delete an affiliate',
    etag: true,
    query: noQuerySchema,
    answers: { 204: null },
    problems: ['revision_mismatch'],
  },
  getAffiliateStats: {
    method: 'GET',
    path: '/v1/affiliates/:id/stats',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'Read the statistics of an affiliate',
    query: noQuerySchema,
    answers: { 200: affiliateStatsSchema },
    problems: ['read_model_behind'],
  },
} as const satisfies Record<string, OperationSpec>;
