import type { OperationId } from '@refledger/contracts';
import {
  adjustmentBody,
  affiliateBody,
  conversionBody,
  expectStatus,
  programBody,
  uniqueEmail,
  uniqueText,
  type Affiliate,
} from '@refledger/testing';
import { costlyBalanceRequests } from './costly-balance-requests.js';
import { costlyDeliveryRequests } from './costly-delivery-requests.js';
import { costlyErasureRequests } from './costly-erasure-requests.js';
import { costlyPayoutRequests } from './costly-payout-requests.js';
import { costlyPayoutRunRequests } from './costly-payout-run-requests.js';
import { costlyReplayRequests } from './costly-replay-requests.js';
import { costlyWebhookRequests } from './costly-webhook-requests.js';
import type { GrownService } from './grown-service.js';
import { filters, pages, readsAsOf, type SendRequests } from './read-requests.js';
import { sent } from './times.js';

type RequestsOf = (grown: GrownService) => SendRequests | Promise<SendRequests>;

/** For each operation, the requests whose cost could grow, keyed by what they ask for. */
export const costlyRequests: Readonly<Record<OperationId, RequestsOf>> = {
  listConversions: async (grown) => ({
    ...(await pages(grown, '/v1/conversions')),
    ...filters(grown.api, '/v1/conversions', {
      'of one affiliate': { affiliate_id: grown.affiliate.id },
      'of a program': { program_id: grown.affiliate.program_id },
      'by a transaction id': { external_transaction_id: 'tx-7' },
      'of one customer': { customer_id: 'customer-7' },
      'of one customer and affiliate': {
        customer_id: 'customer-7',
        affiliate_id: grown.affiliate.id,
      },
      'of a payout': { payout_id: `pay_${'0'.repeat(26)}` },
      'of a payout and an affiliate': {
        payout_id: `pay_${'0'.repeat(26)}`,
        affiliate_id: grown.affiliate.id,
      },
      'by a status that none has': { status: 'refunded' },
      'by a currency that none has': { sale_currency: 'JPY' },
      'before all': { created_before: '2020-01-01T00:00:00Z' },
      'by all filters, with no match': {
        affiliate_id: grown.affiliate.id,
        program_id: grown.affiliate.program_id,
        status: 'rejected',
        sale_currency: 'USD',
        created_after: '2020-01-01T00:00:00Z',
      },
      'by a status and a currency that many have, but never together': {
        status: 'rejected',
        sale_currency: 'USD',
      },
    }),
  }),
  createConversion: ({ api, affiliate }) => {
    const sell = (over: object) => api.post('/v1/conversions', conversionBody(affiliate.id, over));
    return {
      'for an affiliate with a history': () => sell({}),
      'with a transaction id': (n) => sell({ external_transaction_id: `new-${n}` }),
      'with a transaction id, again': (n) => sell({ external_transaction_id: `new-${n % sent}` }),
      'of a new customer': (n) => sell({ customer_id: `new-${n}` }),
      'of a customer with many': () => sell({ customer_id: 'customer-7' }),
    };
  },
  getConversion: async ({ api, conversion }) => ({
    'with a history': () => api.get(`/v1/conversions/${conversion.id}`),
    ...(await readsAsOf(api, `/v1/conversions/${conversion.id}`)),
    'that does not exist': () => api.get(`/v1/conversions/${conversion.id.slice(0, -4)}0000`),
  }),
  getConversionHistory: ({ api, conversion }) =>
    filters(api, `/v1/conversions/${conversion.id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes': { limit: '2', sort: 'revision' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    }),
  updateConversion: ({ api, conversion }) => ({
    'with a history': (n) =>
      api.patch(`/v1/conversions/${conversion.id}`, { metadata: { n: `${n}` } }),
  }),
  listAffiliates: async (grown) => ({
    ...(await pages(grown, '/v1/affiliates')),
    ...filters(grown.api, '/v1/affiliates', {
      'of a program': { program_id: grown.affiliate.program_id },
      'by an email address that none has': { email: 'nobody@example.com' },
      'by an external id that many have': { external_id: 'shared' },
      'by such an id and a status that none has': { external_id: 'shared', status: 'rejected' },
      'by such an id and an email address': {
        external_id: 'shared',
        email: grown.affiliate.email,
      },
      'by a status that none has': { status: 'rejected' },
      'by all filters, with no match': {
        program_id: grown.affiliate.program_id,
        status: 'rejected',
        email: grown.affiliate.email,
        external_id: 'shared',
        created_after: '2020-01-01T00:00:00Z',
      },
    }),
  }),
  createAffiliate: ({ api }) => ({
    'of a program with many': () => api.post('/v1/affiliates', affiliateBody()),
    'with an address that is taken': () =>
      api.post('/v1/affiliates', affiliateBody({ email: 'taken@example.com' })),
  }),
  getAffiliate: async ({ api, affiliate }) => ({
    'with a history': () => api.get(`/v1/affiliates/${affiliate.id}`),
    ...(await readsAsOf(api, `/v1/affiliates/${affiliate.id}`)),
  }),
  getAffiliateHistory: ({ api, affiliate }) =>
    filters(api, `/v1/affiliates/${affiliate.id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes': { limit: '2', sort: 'revision' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    }),
  updateAffiliate: ({ api, affiliate }) => ({
    'with a history': (n) =>
      api.patch(`/v1/affiliates/${affiliate.id}`, { metadata: { n: `${n}` } }),
    'to another address': () =>
      api.patch(`/v1/affiliates/${affiliate.id}`, { email: uniqueEmail() }),
  }),
  deleteAffiliate: ({ api }) => ({
    'that was just added': async () => {
      const added = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
      const { id } = expectStatus(201, added);
      return api.delete(`/v1/affiliates/${id}`);
    },
  }),
  getAffiliateStats: ({ api, affiliate }) => ({
    'of many conversions': () => api.get(`/v1/affiliates/${affiliate.id}/stats`),
  }),
  listPrograms: async (grown) => ({
    ...(await pages(grown, '/v1/programs')),
    ...filters(grown.api, '/v1/programs', {
      'by a status that none has': { status: 'archived' },
      'by terms that none has': { has_terms: 'true', status: 'archived' },
    }),
  }),
  createProgram: ({ api }) => ({
    'beside many': () => api.post('/v1/programs', programBody()),
    'with an id that is taken': () => api.post('/v1/programs', programBody({ id: 'prog_spring' })),
  }),
  getProgram: async ({ api, affiliate }) => ({
    'with a history': () => api.get(`/v1/programs/${affiliate.program_id}`),
    ...(await readsAsOf(api, `/v1/programs/${affiliate.program_id}`)),
  }),
  updateProgram: ({ api, affiliate }) => ({
    'with a history': (n) =>
      api.patch(`/v1/programs/${affiliate.program_id}`, { metadata: { n: `${n}` } }),
  }),
  listProgramTerms: ({ api, affiliate }) => ({
    'of one with a history': () => api.get(`/v1/programs/${affiliate.program_id}/terms`),
  }),
  quoteSale: ({ api, affiliate }) => {
    const sale = { sale_amount: 4_950, sale_currency: 'USD' };
    const quote = (over: object) =>
      api.post(`/v1/programs/${affiliate.program_id}/quote`, { ...sale, ...over });
    return {
      'for an affiliate with a history': () => quote({ affiliate_id: affiliate.id }),
      'of a customer': () => quote({ affiliate_id: affiliate.id, customer_id: 'customer-7' }),
    };
  },
  getProgramHistory: ({ api, affiliate }) =>
    filters(api, `/v1/programs/${affiliate.program_id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    }),
  listAdjustments: async (grown) => ({
    ...(await pages(grown, '/v1/adjustments')),
    ...filters(grown.api, '/v1/adjustments', {
      'of one affiliate': { affiliate_id: grown.affiliate.id },
      'by a currency that none has': { currency: 'JPY' },
      'by all filters, with no match': {
        affiliate_id: grown.affiliate.id,
        program_id: grown.affiliate.program_id,
        status: 'voided',
        currency: 'USD',
        created_after: '2020-01-01T00:00:00Z',
      },
    }),
  }),
  createAdjustment: ({ api, affiliate }) => {
    const adjust = (over: object) =>
      api.post('/v1/adjustments', adjustmentBody(affiliate.id, over));
    return {
      'for an affiliate with a history': () => adjust({}),
      'with an id': (n) => adjust({ external_id: `new-${n}` }),
      'with an id, again': (n) => adjust({ external_id: `new-${n % sent}` }),
    };
  },
  getAdjustment: async ({ api, adjustment }) => ({
    'with a history': () => api.get(`/v1/adjustments/${adjustment.id}`),
    ...(await readsAsOf(api, `/v1/adjustments/${adjustment.id}`)),
  }),
  updateAdjustment: ({ api, adjustment }) => ({
    'with a history': (n) =>
      api.patch(`/v1/adjustments/${adjustment.id}`, { metadata: { n: `${n}` } }),
  }),
  getAdjustmentHistory: ({ api, adjustment }) =>
    filters(api, `/v1/adjustments/${adjustment.id}/history`, {
      'the newest changes': { limit: '2' },
      'the oldest changes, with records': { limit: '2', sort: 'revision', include: 'record' },
    }),
  ...costlyBalanceRequests,
  ...costlyErasureRequests,
  ...costlyPayoutRequests,
  ...costlyPayoutRunRequests,
  ...costlyWebhookRequests,
  ...costlyDeliveryRequests,
  ...costlyReplayRequests,
  createAccount: ({ operator }) => ({
    'beside many': () => operator.post('/v1/accounts', { name: uniqueText('account') }),
  }),
  listAccounts: async (grown) => pages(grown, '/v1/accounts', grown.operator),
  getAccount: ({ api }) => ({
    'beside many': () => api.get('/v1/account'),
    'with an unknown key of this account': (n) =>
      api.withKey(`${(api.key ?? '').slice(0, -8)}${`${n}`.padStart(8, '0')}`).get('/v1/account'),
    'with a malformed key': (n) => api.withKey(`unknown-${n}`).get('/v1/account'),
  }),
  createApiKey: ({ api }) => ({
    'beside many': () => api.post('/v1/api-keys', { name: 'k', scope: 'read' }),
  }),
  listApiKeys: ({ api }) => ({
    'one of many': () => api.get('/v1/api-keys', { query: { limit: 1 } }),
  }),
  revokeApiKey: (grown) => ({
    'beside many': async () => grown.api.delete(`/v1/api-keys/${await grown.key()}`),
  }),
};
