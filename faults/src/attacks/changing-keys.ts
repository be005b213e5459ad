import { TestAccount } from '@refledger/testing';
import { creation, deletion, growKeys, idOf, keysPath } from './api-keys.js';
import type { Attack } from './attack.js';

/** Creates and deletes keys of an account that has already created and deleted thousands. */
export const changingKeys: Attack = {
  name: 'keys created and deleted',
  perSecond: 40,
  connections: 8,
  responses: [201, 204],
  responseBytes: 300,
  seed: async (service) => {
    const { api } = await TestAccount.open(service);
    const apiKey = api.key ?? '';
    await growKeys(service, apiKey);
    return { apiKey, path: keysPath };
  },
  sender: ({ apiKey }, send) => {
    const made: string[] = [];
    return async (n) => {
      const id = n % 2 === 0 ? undefined : made.shift();
      if (id !== undefined) return (await send(n, deletion(apiKey, id))).status;
      const response = await send(n, creation(apiKey));
      if (response.status === 201) made.push(idOf(response));
      return response.status;
    };
  },
};
