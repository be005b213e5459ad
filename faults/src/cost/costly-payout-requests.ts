import { uniqueText } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters, pages, readsAsOf } from './read-requests.js';

/** The requests for payouts, by operation. */
export const costlyPayoutRequests = {
  listPayouts: async (grown: GrownService) => ({
    ...(await pages(grown, '/v1/payouts')),
    ...filters(grown.api, '/v1/payouts', {
      'of one affiliate': { affiliate_id: grown.payout.affiliate_id },
      'of an affiliate that has none': { affiliate_id: `aff_${'0'.repeat(26)}` },
      'of a run': { run_id: `run_${'0'.repeat(26)}` },
      'by a currency that none has': { currency: 'JPY' },
      'by the time of completion': { completed_after: '2020-01-01T00:00:00Z' },
      'by all filters, with no match': {
        affiliate_id: grown.payout.affiliate_id,
        program_id: grown.payout.program_id,
        status: 'failed',
        currency: 'USD',
        completed_after: '2020-01-01T00:00:00Z',
      },
    }),
  }),
  createPayout: async ({ account, affiliate, payout }: GrownService) => {
    // takes everything that has become payable so far
    await account.adjustment(affiliate.id);
    await account.update(await account.payout(affiliate.id, { even_if_not_approved: true }), {
      status: 'completed',
    });
    const body = {
      affiliate_id: affiliate.id,
      currency: 'USD',
      ignore_minimum: true,
      even_if_not_approved: true,
    };
    const key = uniqueText('payout');
    const again = () =>
      account.api.post('/v1/payouts', body, { headers: { 'idempotency-key': key } });
    await account.adjustment(affiliate.id);
    await again();
    return {
      // a balance has at most 100 payouts that have not ended
      'from a balance with a history, and its end': async () => {
        await account.adjustment(affiliate.id);
        const created = await account.payout(affiliate.id, { even_if_not_approved: true });
        return account.api.patch(`/v1/payouts/${created.id}`, { status: 'completed' });
      },
      again,
      'of nothing': () =>
        account.api.post('/v1/payouts', { ...body, affiliate_id: payout.affiliate_id }),
    };
  },
  getPayout: async ({ api, payout }: GrownService) => ({
    'with a history': () => api.get(`/v1/payouts/${payout.id}`),
    ...(await readsAsOf(api, `/v1/payouts/${payout.id}`)),
  }),
  updatePayout: ({ api, payout }: GrownService) => ({
    'with a history': (n: number) =>
      api.patch(`/v1/payouts/${payout.id}`, { metadata: { n: `${n}` } }),
  }),
  importPayouts: ({ api, payout }: GrownService) => ({
    'of a payout with a history': (n: number) =>
      api.send('POST', '/v1/payouts/import', {
        body: JSON.stringify({ payout_id: payout.id, status: payout.status, reference: `${n}` }),
        headers: { 'content-type': 'application/x-ndjson' },
      }),
  }),
  listPayoutEntries: ({ api, payout }: GrownService) =>
    filters(api, `/v1/payouts/${payout.id}/entries`, {
      'the first page': {},
      'as CSV': { format: 'csv' },
    }),
  getPayoutHistory: ({ api, payout }: GrownService) =>
    filters(api, `/v1/payouts/${payout.id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    }),
};
