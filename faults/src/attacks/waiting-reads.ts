import { TestAccount } from '@refledger/testing';
import type { Attack } from './attack.js';

/** A position far beyond the end of any log. */
const farAhead = '9007199254740991';
/** More than the number of reads that a gateway processes at a time. */
const connections = 1_100;

/**
 * Reads that wait for a position far ahead. Each connection sends one every two seconds, which is
 * how long such a read may wait.
 */
export const waitingReads: Attack = {
  name: 'reads that wait',
  perSecond: connections / 2,
  connections,
  responses: [503],
  responseBytes: 300,
  seed: async (service) => {
    const account = await TestAccount.open(service);
    const { key = '' } = await account.withScope('read');
    return { apiKey: key, path: '/v1/conversions' };
  },
  sender:
    ({ apiKey, path }, send) =>
    async (n) => {
      const headers = { 'refledger-min-position': farAhead };
      const asked = n % 5 === 0 ? path : '/v1/account';
      return (await send(n, { method: 'GET', path: asked, apiKey, headers })).status;
    },
};
