import { expectStatus, subscriptionBody, type Endpoint } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import type { SendRequests } from './read-requests.js';

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
} satisfies Readonly<Record<string, (grown: GrownService) => SendRequests>>;
