import {
  expectStatus,
  subscriptionBody,
  type ApiClient,
  type Change,
  type Endpoint,
  type Page,
} from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters, type SendRequests } from './read-requests.js';

/** The requests on webhook endpoints whose cost could grow. */
export const costlyWebhookRequests = {
  listWebhooks: ({ api }) => ({
    'one of many, with many versions': () => api.get('/v1/webhooks', { query: { limit: 1 } }),
  }),
  subscribe: ({ api, target }) => ({
    'again, with other events': (n) => {
      const events = n % 2 === 0 ? ['payout.completed'] : ['payout.failed'];
      return api.post('/v1/webhooks/subscribe', subscriptionBody(target, events));
    },
    'again, the same': () =>
      api.post('/v1/webhooks/subscribe', subscriptionBody(target, ['payout.failed'])),
  }),
  getWebhook: ({ api, endpoint }) => ({
    'with many versions': () => api.get(`/v1/webhooks/${endpoint.id}`),
  }),
  getWebhookHistory: async ({ api, endpoint, target }) => {
    const path = `/v1/webhooks/${endpoint.id}/history`;
    const beside = await api.post<Endpoint>(
      '/v1/webhooks/subscribe',
      subscriptionBody(`${target}?few`, ['payout.failed']),
    );
    const few = `/v1/webhooks/${expectStatus(201, beside).id}/history`;
    return {
      ...filters(api, path, {
        'the newest changes': { limit: '2' },
        'the oldest changes': { limit: '2', sort: 'revision' },
        'the newest changes, with records': { limit: '2', include: 'record' },
        'a deep page': { limit: '2', cursor: await deepCursor(api, path) },
      }),
      'of one with few, beside many': () => api.get(few),
    };
  },
  updateWebhook: ({ api, endpoint }) => ({
    'with many versions': (n) =>
      api.patch(`/v1/webhooks/${endpoint.id}`, { description: `changed ${n}` }),
  }),
  getWebhookSecret: ({ api, endpoint }) => ({
    'with many versions': () => api.get(`/v1/webhooks/${endpoint.id}/secret`),
  }),
  rotateWebhookSecret: ({ api, endpoint }) => ({
    'with many versions': () =>
      api.post(`/v1/webhooks/${endpoint.id}/rotate-secret`, { overlap: '0s' }),
  }),
  getWebhookStats: ({ api, endpoint }) => ({
    'of the longest period': () =>
      api.get(`/v1/webhooks/${endpoint.id}/stats`, { query: { period: '30d' } }),
    'of the default period': () => api.get(`/v1/webhooks/${endpoint.id}/stats`),
  }),
  deleteWebhook: ({ api, target }) => ({
    'one that was just subscribed': async () => {
      const body = subscriptionBody(`${target}?deleted`, ['payout.failed']);
      const made = await api.post<Endpoint>('/v1/webhooks/subscribe', body);
      return api.delete(`/v1/webhooks/${expectStatus(201, made).id}`);
    },
  }),
  unsubscribe: ({ api, target }) => ({
    'an address that was just subscribed': async () => {
      const body = subscriptionBody(`${target}?new`, ['payout.failed']);
      expectStatus(201, await api.post('/v1/webhooks/subscribe', body));
      return api.delete('/v1/webhooks/subscribe', { query: { target_url: `${target}?new` } });
    },
  }),
} satisfies Readonly<Record<string, (grown: GrownService) => SendRequests | Promise<SendRequests>>>;

/** The cursor after 100 changes, or fewer if there are no more. */
const deepCursor = async (api: ApiClient, path: string): Promise<string> => {
  const limit = { limit: 100 };
  const deep = expectStatus(200, await api.get<Page<Change>>(path, { query: limit })).next_cursor;
  if (deep !== null) return deep;
  const first = await api.get<Page<Change>>(path, { query: { limit: 1 } });
  return expectStatus(200, first).next_cursor ?? '';
};
