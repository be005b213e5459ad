import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Returns a port of 127.0.0.1 that is free now. */
export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1);
  return port;
};

/** Returns different ports of 127.0.0.1 that are free now: all are held until the last is found. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  // the decoding boundary: a TCP server that listens has an address of this kind
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
};

/**
 * Listens on a port below those of outgoing connections: one of these could take the port before it
 * is used, or while a service restarts.
 */
const listen = async (): Promise<Server> => {
  for (;;) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
};
