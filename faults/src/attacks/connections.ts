import { Client } from 'undici';
import type { AttackResponse, AttackRequest } from './attack.js';

/** Several connections that stay open, each with one request in flight at a time. */
export class Connections {
  private readonly clients: readonly Client[];

  constructor(baseUrl: string, count: number) {
    // a connection may wait for its turn much longer than undici would keep it open
    const options = { pipelining: 1, keepAliveTimeout: 60_000, keepAliveMaxTimeout: 60_000 };
    this.clients = Array.from({ length: count }, () => new Client(baseUrl, options));
  }

  /** Sends the n-th request over the connection whose turn it is. */
  async send(n: number, request: AttackRequest): Promise<AttackResponse> {
    const { method, path, apiKey, headers, json } = request;
    const client = this.clients[n % this.clients.length];
    if (client === undefined) throw new Error('there are no connections');
    const { statusCode, body } = await client.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
    });
    return { status: statusCode, text: await body.text() };
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.destroy()));
  }
}

/** Sends the requests one after another. Throws when one of them fails. */
export const sendInTurn = async (
  baseUrl: string,
  requests: Iterable<AttackRequest>,
): Promise<void> => {
  const open = new Connections(baseUrl, 1);
  try {
    for (const request of requests) {
      const { status, text } = await open.send(0, request);
      if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
    }
  } finally {
    await open.close();
  }
};
