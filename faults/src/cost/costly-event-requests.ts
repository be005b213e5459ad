import { expectStatus, type Page } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters, type SendRequests } from './read-requests.js';

/** The requests about events whose cost could grow. */
export const costlyEventRequests = {
  listEvents: async (grown: GrownService): Promise<SendRequests> => {
    const { api, affiliate } = grown;
    const { position } = await lastEvent(grown);
    return filters(api, '/v1/events', {
      'the first page': {},
      'the last page': { sort: '-position' },
      'after the last one': { after: position },
      'since now': { since: new Date().toISOString() },
      'of a type that all have': { types: 'conversion.*' },
      'of one affiliate, newest first': { affiliate_id: affiliate.id, sort: '-position' },
    });
  },
  getEvent: async (grown: GrownService): Promise<SendRequests> => {
    const { position } = await lastEvent(grown);
    return {
      'the last one': () => grown.api.get(`/v1/events/${position}`),
      'where there is none': () => grown.api.get('/v1/events/0'),
    };
  },
};

const lastEvent = async ({ api }: GrownService): Promise<{ readonly position: string }> => {
  const query = { sort: '-position', limit: '1' };
  const response = await api.get<Page<{ position: string }>>('/v1/events', { query });
  const [last] = expectStatus(200, response).data;
  if (last === undefined) throw new Error('the account has no event');
  return last;
};
