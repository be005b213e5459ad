import { expectStatus, uniqueText, waitFor, type PayoutRun } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters } from './read-requests.js';

/** The requests for payout runs, by operation. The runs find nothing to pay. */
export const costlyPayoutRunRequests = {
  listPayoutRuns: async (grown: GrownService) => {
    await run(grown);
    return filters(grown.api, '/v1/payout-runs', {
      'the first page': {},
      'the oldest first': { sort: 'created_at' },
      'that are running': { status: 'running' },
    });
  },
  createPayoutRun: ({ api, affiliate }: GrownService) => {
    const body = { affiliate_ids: [affiliate.id], currency: 'JPY' };
    const headers = { 'idempotency-key': uniqueText('run') };
    return {
      'of an affiliate with a history': () => api.post('/v1/payout-runs', body),
      again: () => api.post('/v1/payout-runs', body, { headers }),
      'as a preview': () =>
        api.post('/v1/payout-runs', { affiliate_ids: [affiliate.id], preview: true }),
    };
  },
  getPayoutRun: async (grown: GrownService) => {
    const { id } = await run(grown);
    return { 'by its id': () => grown.api.get(`/v1/payout-runs/${id}`) };
  },
  updatePayoutRun: async (grown: GrownService) => {
    const { id } = await run(grown);
    return {
      'its metadata': (n: number) =>
        grown.api.patch(`/v1/payout-runs/${id}`, { metadata: { n: `${n}` } }),
    };
  },
  getPayoutRunFile: async (grown: GrownService) => {
    const { id } = await run(grown);
    await waitFor(async () => {
      const { body } = await grown.api.get<PayoutRun>(`/v1/payout-runs/${id}`);
      return body.status === 'finished';
    });
    return filters(grown.api, `/v1/payout-runs/${id}/file`, {
      'of a run without payouts': { format: 'csv' },
    });
  },
  getPayoutRunHistory: async (grown: GrownService) => {
    const { id } = await run(grown);
    return filters(grown.api, `/v1/payout-runs/${id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    });
  },
};

const run = async ({ api, affiliate }: GrownService): Promise<PayoutRun> => {
  const body = { affiliate_ids: [affiliate.id], currency: 'JPY' };
  return expectStatus(202, await api.post<PayoutRun>('/v1/payout-runs', body));
};
