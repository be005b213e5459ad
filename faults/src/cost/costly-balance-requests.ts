import { expectStatus, type Entry, type Page, type Statement } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters } from './read-requests.js';

/** The requests for balances and entries, by operation. */
export const costlyBalanceRequests = {
  listBalances: async (grown: GrownService) => {
    const { affiliate_id, program_id } = await grown.balance();
    return filters(grown.api, '/v1/balances', {
      'the first page': {},
      'the oldest first': { sort: 'created_at' },
      'of one affiliate': { affiliate_id },
      'by all filters, with no match': { affiliate_id, program_id, currency: 'JPY', open: 'true' },
    });
  },
  getBalanceSummary: async (grown: GrownService) => {
    await grown.balance();
    return filters(grown.api, '/v1/balances/summary', {
      'of few open balances': {},
      'of a program that has none': { program_id: 'prog_none' },
    });
  },
  getBalance: async (grown: GrownService) => {
    const { id, position } = await grown.balance();
    const [first] = await oldestEntries(grown);
    return filters(grown.api, `/v1/balances/${id}`, {
      'with many entries': {},
      'as of its first entry': { as_of: first?.position ?? '' },
      'as of its last entry': { as_of: position },
      'as of now': { as_of: new Date().toISOString() },
    });
  },
  // the whole ledger is sent, so only its first piece could cost the same everywhere
  getBalanceLedger: ({ api }: GrownService) => ({
    'that is not there': () => api.get(`/v1/balances/bal_${'0'.repeat(26)}/ledger`),
  }),
  getBalanceStatement: async (grown: GrownService) => {
    const { id } = await grown.balance();
    const month = new Date().toISOString().slice(0, 7);
    const path = `/v1/balances/${id}/statement`;
    const query = { month, limit: 100 };
    const page = await grown.api.get<Statement>(path, { query });
    const cursor = expectStatus(200, page).next_cursor ?? '';
    return filters(grown.api, path, {
      'the oldest lines': { month },
      'a later page': { month, ...(cursor !== '' && { cursor }) },
      'of a month before it': { month: '2020-01' },
    });
  },
  getStatementSummary: async (grown: GrownService) => {
    await grown.balance();
    return filters(grown.api, '/v1/statements/summary', {
      'of this month': { month: new Date().toISOString().slice(0, 7) },
    });
  },
  getAffiliateBalances: async (grown: GrownService) => {
    const { affiliate_id, position } = await grown.balance();
    return filters(grown.api, `/v1/affiliates/${affiliate_id}/balances`, {
      'with many entries': {},
      'as of its last entry': { as_of: position },
    });
  },
  listEntries: async (grown: GrownService) => {
    const { affiliate_id, program_id } = await grown.balance();
    const [first] = await oldestEntries(grown);
    return filters(grown.api, '/v1/entries', {
      'the newest first': {},
      'the oldest first': { sort: 'position' },
      'of one affiliate': { affiliate_id },
      'of one conversion': { conversion_id: first?.conversion_id ?? '' },
      'by a kind that none has': { kind: 'reversal' },
      'created after the first': { created_after: first?.created_at ?? '', sort: 'created_at' },
      'created before all': { created_before: '2020-01-01T00:00:00Z' },
      'created after all, by all filters': {
        affiliate_id,
        program_id,
        currency: 'USD',
        kind: 'commission',
        created_after: '2099-01-01T00:00:00Z',
      },
      'by all filters, with no match': {
        affiliate_id,
        program_id,
        currency: 'JPY',
        kind: 'commission',
      },
    });
  },
  getEntry: async (grown: GrownService) => {
    const [first] = await oldestEntries(grown);
    return { 'of a balance with many': () => grown.api.get(`/v1/entries/${first?.id}`) };
  },
};

const oldestEntries = async (grown: GrownService): Promise<readonly Entry[]> => {
  const { affiliate_id, currency } = await grown.balance();
  const query = { affiliate_id, currency, sort: 'position', limit: 1 };
  return expectStatus(200, await grown.api.get<Page<Entry>>('/v1/entries', { query })).data;
};
