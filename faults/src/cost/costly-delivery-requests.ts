import type { GrownService } from './grown-service.js';
import { expectStatus, type Delivery, type Page } from '@refledger/testing';
import { filters } from './read-requests.js';

/** The requests of the operations on deliveries whose cost could grow. */
export const costlyDeliveryRequests = {
  listDeliveries: (grown: GrownService) =>
    filters(grown.api, '/v1/deliveries', {
      'the first page': {},
      'by end': { sort: '-finished_at' },
      'by a status that none has': { status: 'canceled' },
      'by a type that none has': { type: 'payout.completed' },
      'of an event without any': { event_id: `evt_${'0'.repeat(26)}` },
      'of a record without any': { object_id: `pay_${'0'.repeat(26)}` },
      'made by a trigger that made none': { trigger: 'redeliver' },
      'finished after all': { finished_after: '2099-01-01T00:00:00Z' },
      'created after all': { created_after: '2099-01-01T00:00:00Z' },
      'created before all': { created_before: '2020-01-01T00:00:00Z' },
      'created between two times': {
        created_after: '2020-01-01T00:00:00Z',
        created_before: '2099-01-01T00:00:00Z',
      },
      'of one endpoint': { endpoint_id: grown.endpoint.id },
      'of an endpoint that never existed': { endpoint_id: `whk_${'0'.repeat(26)}` },
    }),
  listEndpointDeliveries: (grown: GrownService) =>
    filters(grown.api, `/v1/webhooks/${grown.endpoint.id}/deliveries`, {
      'the first page': {},
      'by end': { sort: '-finished_at' },
      'by a status that none has': { status: 'canceled' },
      'created before all': { created_before: '2020-01-01T00:00:00Z' },
    }),
  redeliver: async ({ api, endpoint }: GrownService) => {
    const page = await api.get<Page<Delivery>>(
      `/v1/webhooks/${endpoint.id}/deliveries?limit=1&sort=finished_at`,
    );
    const [oldest] = expectStatus(200, page).data;
    const redeliver = (id = '', headers: Readonly<Record<string, string>> = {}) =>
      api.post(`/v1/webhooks/${endpoint.id}/deliveries/${id}/redeliver`, undefined, { headers });
    return {
      'the oldest one': () => redeliver(oldest?.id),
      'the oldest one, with a key': (n: number) =>
        redeliver(oldest?.id, { 'idempotency-key': `redelivery-${n}` }),
      'one that does not exist': () => redeliver(`dlv_${'0'.repeat(26)}`),
    };
  },
  // one that waits for its attempt would measure the dispatcher, too
  testWebhook: ({ api }: GrownService) => ({
    'of an endpoint that does not exist': () =>
      api.post(`/v1/webhooks/whk_${'0'.repeat(26)}/test`, undefined),
  }),
  getDelivery: ({ api, endpoint }: GrownService) => ({
    'that does not exist': () =>
      api.get(`/v1/webhooks/${endpoint.id}/deliveries/dlv_${'0'.repeat(26)}`),
  }),
};
