import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Returns a TCP port of 127.0.0.1 that is free now. No other call, in this process or another, gets
 * it while this process runs. The port is below the range that outgoing connections use: one of
 * those could take it before it is used, or while a service restarts.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
};

/** Holds the UDP port of the same number until this process ends. Returns false if it is held. */
const claim = (port: number): Promise<boolean> => {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  return succeeds(socket);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await succeeds(server))) return false;
  await once(server.close(), 'close');
  return true;
};

const succeeds = async (listening: Socket | Server): Promise<boolean> => {
  try {
    await once(listening, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  }
};
