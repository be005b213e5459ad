import { affiliate } from './affiliate.events.js';
import { affiliateSchema } from './affiliate.record.js';
import { affiliateStatsSchema } from './affiliate-stats.record.js';
import { changeOf } from '../history/change.record.js';
import {
  affiliateMoneyFields,
  createAffiliateSchema,
  updateAffiliateSchema,
} from './affiliate.requests.js';
import { asOfQuerySchema, historyQuerySchema } from '../history/history.requests.js';
import { affiliateList } from './affiliate.list.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

/** The operations on affiliates, by operation id. */
export const affiliateOperations = {
  listAffiliates: {
    method: 'GET',
    path: '/v1/affiliates',
    scope: 'read',
    summary: 'List affiliates',
    query: affiliateList.query,
    responses: { 200: listOf(affiliateSchema, 'AffiliateList') },
  },
  createAffiliate: {
    method: 'POST',
    path: '/v1/affiliates',
    scope: 'write',
    summary: 'Add an affiliate',
    idempotent: true,
    etag: true,
    body: createAffiliateSchema,
    responses: { 201: affiliateSchema, 200: affiliateSchema },
    problems: [
      'not_found',
      'affiliate_exists',
      'program_not_found',
      'program_not_active',
      'idempotency_key_reused',
    ],
  },
  getAffiliate: {
    method: 'GET',
    path: '/v1/affiliates/:id',
    id: 'affiliate',
    scope: 'read',
    summary: 'Read an affiliate',
    etag: true,
    query: asOfQuerySchema,
    responses: { 200: affiliateSchema },
  },
  updateAffiliate: {
    method: 'PATCH',
    path: '/v1/affiliates/:id',
    id: 'affiliate',
    scope: 'write',
    summary: 'Change an affiliate',
    etag: true,
    body: updateAffiliateSchema,
    adminFields: affiliateMoneyFields,
    immutable: immutableIn(affiliateSchema, updateAffiliateSchema),
    responses: { 200: affiliateSchema },
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
    id: 'affiliate',
    scope: 'write',
    summary: 'Delete an affiliate',
    etag: true,
    responses: { 204: null },
    problems: ['revision_mismatch'],
  },
  getAffiliateStats: {
    method: 'GET',
    path: '/v1/affiliates/:id/stats',
    id: 'affiliate',
    scope: 'read',
    summary: 'Read the statistics of an affiliate',
    responses: { 200: affiliateStatsSchema },
  },
  getAffiliateHistory: {
    method: 'GET',
    path: '/v1/affiliates/:id/history',
    id: 'affiliate',
    scope: 'read',
    summary: 'Read every change to an affiliate',
    query: historyQuerySchema,
    responses: { 200: listOf(changeOf(affiliate, 'AffiliateChange'), 'AffiliateHistory') },
  },
} as const satisfies Record<string, OperationSpec>;
