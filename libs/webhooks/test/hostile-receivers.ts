import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** A receiver on 127.0.0.1, with the socket of every connection that it got. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
}

/**
 * Opens a receiver, over TLS when `server` is a TLS server. `respond` is called whenever data
 * arrives on a connection.
 */
export async function receiver(
  respond: (socket: Socket) => void,
  server: Server = createServer(),
): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => respond(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Writes the same text repeatedly until the connection ends: every `everyMs` milliseconds, or as
 * fast as the other side reads it.
 */
export function keepWriting(socket: Socket, text: string, everyMs?: number): void {
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.once('close', () => clearInterval(timer));
    return;
  }
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}
