import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a port, as a string, that nothing listens on at the moment. It is below the range that
 * outgoing connections use: one of those could take it before it is used.
 */
export const freePort = async (host = '127.0.0.1') => {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port, host);
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code === 'EADDRINUSE') continue;
      throw error;
    }
    await new Promise((resolve) => server.close(resolve));
    return String(port);
  }
};
