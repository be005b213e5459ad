import { connect } from 'node:net';
import { conversionBody, TestAccount } from '@refledger/testing';
import type { Attack, AttackRequest } from './attack.js';
import { sendInTurn } from './connections.js';

const pipelined = 300;
/** Makes a page of 100 records about 200 kB large, because a page costs what it returns. */
const metadata = Object.fromEntries(
  Array.from({ length: 4 }, (_, n) => [`key ${n}`, 'x'.repeat(400)]),
);

/** Requests hundreds of pages together over each connection, and never reads them. */
export const pipelinedPages: Attack = {
  name: 'pages pipelined and never read',
  perSecond: 2,
  connections: 0,
  responses: [200],
  responseBytes: 200_000,
  seed: async (service) => {
    const { account, affiliate } = await TestAccount.withAffiliate(service);
    const apiKey = account.api.key ?? '';
    const json = { ...conversionBody(affiliate.id), metadata };
    const sale: AttackRequest = { method: 'POST', path: '/v1/conversions', apiKey, json };
    await sendInTurn(
      service.baseUrl,
      Array.from({ length: 100 }, () => sale),
    );
    return { apiKey, path: '/v1/conversions?limit=100' };
  },
  sender: ({ apiKey, path }, _send, baseUrl) => {
    const { hostname, port } = new URL(baseUrl);
    const asked = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
    return () => sendUnread({ hostname, port: Number(port) }, asked.repeat(pipelined));
  },
};

/** Reads only the start of the first response. Resolves to its status. */
const sendUnread = (
  { hostname, port }: { readonly hostname: string; readonly port: number },
  requests: string,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, hostname, () => socket.write(requests));
    socket.once('data', (begin) => {
      socket.pause();
      resolve(Number(begin.toString('latin1').split(' ', 2)[1]));
    });
    // after its first response the service may close the connection
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed without a response')));
  });
