import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver on 127.0.0.1 that holds requests until it closes. Each path is an endpoint. */
export interface HoldingReceiver {
  url(path: string): string;
  hasResponded(path: string): boolean;
  /** Returns the number of requests that it holds now, for one path or in total. */
  held(path?: string): number;
  /** Returns how many of the held requests the sender gave up on. */
  givenUp(): number;
  close(): Promise<void>;
}

/**
 * Starts a receiver. With `respondsFirst` it answers the first request to each path immediately.
 */
export const startHoldingReceiver = async ({
  respondsFirst = false,
} = {}): Promise<HoldingReceiver> => {
  const answered = new Set<string>();
  const held = new Map<string, number>();
  let givenUp = 0;
  const server = createServer({ requestTimeout: 0 }, ({ url = '' }, response) => {
    if (respondsFirst && !answered.has(url)) {
      answered.add(url);
      return void response.end();
    }
    held.set(url, (held.get(url) ?? 0) + 1);
    response.once('close', () => {
      givenUp++;
      held.set(url, (held.get(url) ?? 0) - 1);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    hasResponded: (path) => answered.has(path),
    held: (path) =>
      path === undefined
        ? [...held.values()].reduce((sum, n) => sum + n, 0)
        : (held.get(path) ?? 0),
    givenUp: () => givenUp,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
