import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * Reserves a free TCP port of 127.0.0.1 until this process ends, and returns it. The system gives
 * it to no other process, and connections to it are refused. A server that is told to listen on it
 * still can.
 */
export const unusedPort = (): Promise<number> => hold(0);

/**
 * Reserves a port like `unusedPort`, for a server that has ended and will start again; 0 if it never
 * had one.
 */
export const reservePort = async (port: number): Promise<void> => {
  if (port === 0 || reserved.has(port)) return;
  reserved.add(port);
  await hold(port);
};

const reserved = new Set<number>();

/**
 * Holds a port with a connection from it. Node binds only sockets that listen or connect, and only
 * with the latter can a server share the port.
 */
const hold = async (localPort: number): Promise<number> => {
  const to = await (peer ??= listen());
  const socket = connect({ ...to, localAddress: '127.0.0.1', localPort }).unref();
  await once(socket, 'connect');
  return (socket.address() as AddressInfo).port;
};

/** The address that the connections lead to. */
let peer: Promise<{ readonly host: string; readonly port: number }> | undefined;

const listen = async () => {
  const server = createServer((socket) => socket.unref())
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
};
