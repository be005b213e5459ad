import { randomBytes } from 'node:crypto';
import { TestAccount } from '@refledger/testing';
import { growKeys } from './api-keys.js';
import type { Attack } from './attack.js';

/**
 * Sends keys that do not exist. Keys in the form of a real one name an account with many keys; the
 * service looks all others up in the first account, which has as many.
 */
export const unknownKeys: Attack = {
  name: 'unknown keys',
  perSecond: 40,
  connections: 8,
  responses: [401, 429],
  responseBytes: 300,
  seed: async (service) => {
    const { api } = await TestAccount.open(service);
    const apiKey = api.key ?? '';
    await growKeys(service, apiKey);
    await growKeys(service, service.adminKey);
    return { apiKey, path: '/v1/account' };
  },
  sender:
    ({ apiKey, path }, send) =>
    async (n) => {
      const secret = randomBytes(4).toString('hex');
      const unknown =
        n % 2 === 0 ? `${apiKey.slice(0, -secret.length)}${secret}` : secret.repeat(4);
      return (await send(n, { method: 'GET', path, apiKey: unknown })).status;
    },
};
