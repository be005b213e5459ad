import { list } from '../history/record-operations.js';
import type { OperationSpec } from '../shared/operation-spec.js';
import { erasureList } from './erasure.list.js';
import { erasureSchema } from './erasure.record.js';

export const erasureOperations = {
  eraseAffiliate: {
    method: 'POST',
    path: '/v1/affiliates/:id/erase',
    id: 'affiliate',
    scope: 'admin',
    summary: 'Permanently erase the personal data of an affiliate, and delete the affiliate',
    responses: { 200: erasureSchema },
    problems: ['payouts_open'],
  },
  getErasure: {
    method: 'GET',
    path: '/v1/affiliates/:id/erasure',
    id: 'affiliate',
    scope: 'read',
    summary: 'Read the erasure of an affiliate',
    responses: { 200: erasureSchema },
  },
  listErasures: list('/v1/erasures', 'List erasures', erasureList, erasureSchema),
} as const satisfies Record<string, OperationSpec>;
