import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Returns a port of 127.0.0.1 that is free now. */
export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1);
  return port;
};

/** Returns different ports of 127.0.0.1 that are free now: all are held until the last is found. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  // the decoding boundary: a TCP server that listens has an address of this kind
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
};
