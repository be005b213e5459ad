import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a port, as a string, that nothing listens on at the moment. */
export const freePort = async (host = '127.0.0.1') => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
};
