import { once } from 'node:events';
import { createServer } from 'node:net';

/** Throws the error of `listen` when the service cannot listen on this address now. */
export const checkFreeAddress = async (port: number, host: string): Promise<void> => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};
