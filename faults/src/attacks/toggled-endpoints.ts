import { subscriptionBody, TestAccount } from '@refledger/testing';
import type { Attack, AttackRequest } from './attack.js';
import { sendInTurn } from './connections.js';

const endpoints = 4;
/** Versions that each endpoint has before the attack. */
const versions = 300;
/** A target of the maximum length. */
const targetOf = (endpoint: number): string =>
  `https://hooks.example.com/${endpoint}/`.padEnd(2_048, 'x');

/** Toggles the events of endpoints that have the longest target, and lists the endpoints. */
export const toggledEndpoints: Attack = {
  name: 'endpoints toggled and listed',
  perSecond: 40,
  connections: 8,
  responses: [200],
  responseBytes: 1_000,
  seed: async (service) => {
    const { api } = await TestAccount.open(service);
    const apiKey = api.key ?? '';
    const past = Array.from({ length: endpoints * versions }, (_, n) => toggle(apiKey, n));
    await sendInTurn(service.baseUrl, past);
    return { apiKey, path: '/v1/webhooks' };
  },
  sender:
    ({ apiKey, path }, send) =>
    async (n) =>
      (await send(n, n % 2 === 0 ? toggle(apiKey, n / 2) : { method: 'GET', path, apiKey })).status,
};

const toggle = (apiKey: string, n: number): AttackRequest => {
  const event = Math.floor(n / endpoints) % 2 === 0 ? 'affiliate.created' : 'affiliate.updated';
  return {
    method: 'POST',
    path: '/v1/webhooks/subscribe',
    apiKey,
    json: subscriptionBody(targetOf(n % endpoints), [event]),
  };
};
