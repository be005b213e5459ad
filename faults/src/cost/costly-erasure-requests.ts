import { affiliateBody, expectStatus, type Affiliate } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters, type SendRequests } from './read-requests.js';

/** The requests about erasures whose cost could grow. */
export const costlyErasureRequests = {
  eraseAffiliate: ({ api }: GrownService): SendRequests => ({
    'that was just added': async () => {
      const added = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
      return api.post(`/v1/affiliates/${expectStatus(201, added).id}/erase`, undefined);
    },
  }),
  getErasure: async ({ api }: GrownService): Promise<SendRequests> => {
    const added = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
    const { id } = expectStatus(201, added);
    expectStatus(200, await api.post(`/v1/affiliates/${id}/erase`, undefined));
    return { 'of an erased affiliate': () => api.get(`/v1/affiliates/${id}/erasure`) };
  },
  listErasures: ({ api }: GrownService): SendRequests =>
    filters(api, '/v1/erasures', {
      'the first page': {},
      'the oldest first': { sort: 'created_at' },
      'before all': { created_before: '2020-01-01T00:00:00Z' },
    }),
};
