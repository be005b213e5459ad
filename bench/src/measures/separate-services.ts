import { startDistributed } from '@refledger/testing';
import { requireServers } from '@refledger/testing/servers';
import type { Bench } from '../bench.js';
import { serverNote } from '../report/server-note.js';
import { Api, apiKey } from '../service/api.js';

/**
 * Starts gateway, projector, ledger, relay and webhook dispatcher on new engines, without a rate
 * limit, and names the engines beside the figures.
 */
export const startSeparateServices = async (bench: Bench): Promise<Api> => {
  const services = await startDistributed(requireServers('MongoDB', 'Kafka'), {
    env: {
      BOOTSTRAP_API_KEY: apiKey,
      RATE_LIMIT_PER_MINUTE: '0',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
    },
  });
  bench.use({ close: () => services.stop() });
  for (const engine of services.engines) bench.note(serverNote(engine));
  return new Api(services.baseUrl);
};
