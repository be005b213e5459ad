import { expectStatus, uniqueText } from '@refledger/testing';
import type { GrownService } from './grown-service.js';
import { filters } from './read-requests.js';

const unknown = {
  endpoint: `/v1/webhooks/whk_${'0'.repeat(26)}/replays`,
  replay: `rpl_${'0'.repeat(26)}`,
};

/** The requests of the operations on replays whose cost could grow. */
export const costlyReplayRequests = {
  // a replay that makes deliveries would measure the dispatcher, too
  createReplay: async ({ api, account, target }: GrownService) => {
    const { id } = await account.subscribe(`${target}/${uniqueText('hook')}`, ['payout.created']);
    expectStatus(200, await api.patch(`/v1/webhooks/${id}`, { status: 'paused' }));
    const path = `/v1/webhooks/${id}/replays`;
    expectStatus(202, await api.post(path, { since: '0' }));
    return {
      'since the start, while one runs': () => api.post(path, { since: '0' }),
      'since a time, while one runs': () => api.post(path, { since: '2020-01-01T00:00:00Z' }),
      'with a key, while one runs': (n: number) =>
        api.post(path, { since: '0' }, { headers: { 'idempotency-key': `replay-${n}` } }),
      'of an endpoint that does not exist': () => api.post(unknown.endpoint, { since: '0' }),
    };
  },
  listReplays: ({ api, endpoint }: GrownService) => ({
    ...filters(api, `/v1/webhooks/${endpoint.id}/replays`, { 'the first page': {} }),
    'of an endpoint that does not exist': () => api.get(unknown.endpoint),
  }),
  getReplay: ({ api, endpoint }: GrownService) => ({
    'that does not exist': () => api.get(`/v1/webhooks/${endpoint.id}/replays/${unknown.replay}`),
  }),
  stopReplay: ({ api, endpoint }: GrownService) => ({
    'that does not exist': () =>
      api.delete(`/v1/webhooks/${endpoint.id}/replays/${unknown.replay}`),
  }),
};
