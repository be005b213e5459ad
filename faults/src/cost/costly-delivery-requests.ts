import type { GrownService } from './grown-service.js';
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
      'of one endpoint': { endpoint_id: grown.endpoint.id },
    }),
  listEndpointDeliveries: (grown: GrownService) =>
    filters(grown.api, `/v1/webhooks/${grown.endpoint.id}/deliveries`, {
      'the first page': {},
      'by end': { sort: '-finished_at' },
      'by a status that none has': { status: 'canceled' },
    }),
  getDelivery: ({ api }: GrownService) => ({
    'that does not exist': () =>
      api.get(`/v1/webhooks/whk_${'0'.repeat(26)}/deliveries/dlv_${'0'.repeat(26)}`),
  }),
};
