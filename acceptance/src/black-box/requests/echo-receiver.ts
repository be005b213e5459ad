import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A receiver that sends the body back from the email on, which is not a valid HTTP response. */
export const startEcho = async (): Promise<{
  readonly url: string;
  readonly close: () => Promise<void>;
}> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => socket.end(bytes.subarray(Math.max(0, bytes.indexOf('"email"')))));
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
