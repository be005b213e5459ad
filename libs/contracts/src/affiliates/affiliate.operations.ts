import { affiliate } from './affiliate.events.js';
import { affiliateSchema } from './affiliate.record.js';
import { affiliateStatsSchema } from './affiliate-stats.record.js';
import {
  affiliateMoneyFields,
  createAffiliateSchema,
  updateAffiliateSchema,
} from './affiliate.requests.js';
import { history, list, read } from '../history/record-operations.js';
import { affiliateList } from './affiliate.list.js';
import { immutableIn, type OperationSpec } from '../shared/operation-spec.js';

export const affiliateOperations = {
  listAffiliates: list('/v1/affiliates', 'List affiliates', affiliateList, affiliateSchema),
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
      'affiliate_erased',
      'program_not_found',
      'program_not_active',
      'idempotency_key_reused',
    ],
  },
  getAffiliate: read('/v1/affiliates/:id', 'affiliate', 'Read an affiliate', affiliateSchema),
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
  getAffiliateHistory: history(
    '/v1/affiliates/:id/history',
    'affiliate',
    'Read every change to an affiliate',
    affiliate,
  ),
} as const satisfies Record<string, OperationSpec>;
